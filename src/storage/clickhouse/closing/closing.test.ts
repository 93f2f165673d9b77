/** Which days are closed and removed, and in which steps, on databases that answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import { BudgetError, type ClickHouse } from '../server/clickhouse.ts'
import { dayAfter, dayOf, firstHourOf, isDay, laterOf, startOf } from '../upkeep/day.ts'
import { foldDay } from '../upkeep/fold-day.ts'
import { closeDays, lastDayToClose } from './close-days.ts'
import { hoursBetween, readClosedDays } from './closed-days.ts'

const days = (count: number) =>
  Array.from({ length: count }, (_, index) => dayOf(Date.parse('2026-03-01') + index * 86_400_000))

interface Scene {
  readonly days?: readonly string[]
  /** Of each shard. */
  readonly closed?: readonly string[]
  readonly folded?: string
  /** Of the sums of each reading; afterwards none. */
  readonly failures?: readonly (Error | undefined)[]
  readonly counts?: readonly (readonly string[])[]
  /** Called when sums are read. */
  readonly onSum?: (state: { closed: string[]; folded: string }) => void
}

function open({ days: present = days(3), closed = ['', ''], folded = '', failures = [], counts = [], onSum }: Scene) {
  const state = { closed: [...closed], folded }
  const waiting = [...failures]
  const sums: string[] = []
  const steps: unknown[][] = []
  const statements = (number?: number) => ({
    get: async (_: string, shard: number) => ({
      closedDay: state.closed[shard] || null,
      foldedDay: state.folded || null,
    }),
    async run(sql: string, ...values: unknown[]) {
      if (sql.startsWith('UPDATE shard')) {
        steps.push(values)
        state.closed[number ?? 0] = String(values[1])
      }
      if (sql.includes('closed_total')) steps.push(['add', ...values])
      return 1
    },
  })
  const clickHouse = {
    version: [24, 8],
    database: 'd',
    shards: state.closed.length,
    readFrom: (table: string) => table,
    async select(sql: string, options: object) {
      if (sql.includes('system.parts')) return present.map((day) => [day])
      sums.push(sql)
      assert.ok('mustBeStrict' in options && options.mustBeStrict)
      onSum?.(state)
      const failure = waiting.shift()
      if (failure) throw failure
      return counts
    },
  } as unknown as ClickHouse
  const access = {
    shards: state.closed.length,
    whileIdle: <T>(number: number, work: (held: HeldShard) => Promise<T>) =>
      work({
        number,
        transaction: <R>(run: (own: unknown) => Promise<R>) => run(statements(number)),
      } as unknown as HeldShard),
  }
  const db = statements() as unknown as Postgres
  return {
    close: (lastDay: string, signal?: AbortSignal) => closeDays({ db, clickHouse, access }, lastDay, signal),
    sums,
    steps,
    state,
  }
}

const late = () => new BudgetError('late')

describe('days that are over', () => {
  test('are closed on each shard, with their sums', async () => {
    const { close, steps, sums } = open({ counts: [['4', '1', '2', '3']] })
    await close('2026-03-02')
    const added = ['add', [4], [1], [2], [3]]
    assert.deepEqual(steps, [added, [0, '2026-03-02'], added, [1, '2026-03-02']])
    assert.match(sums[0] ?? '', new RegExp(`hour >= 0 AND hour < ${firstHourOf('2026-03-03')} AND domain % 2 = 0 AND`))
  })

  test('are closed a week at a time, the last part up to the day that is wanted', async () => {
    const { close, steps } = open({ days: days(16), closed: ['2026-03-01'] })
    await close('2026-03-15')
    assert.deepEqual(steps, [
      [0, '2026-03-08'],
      [0, '2026-03-15'],
    ])
    const more = open({ days: days(9), closed: [''] })
    await more.close('2026-04-01')
    assert.deepEqual(more.steps, [
      [0, '2026-03-07'],
      [0, '2026-04-01'],
    ])
  })

  test('that are closed already are left alone', async () => {
    const { close, steps, sums } = open({ closed: ['2026-03-02', '2026-03-03'], folded: '2026-03-02' })
    await close('2026-03-02')
    assert.deepEqual([steps, sums], [[], []])
  })

  test('are closed one by one if they take too long together; one that does alone is an error', async () => {
    const { close, steps } = open({ closed: [''], failures: [late()] })
    await close('2026-03-03')
    assert.deepEqual(
      steps.map(([, day]) => day),
      ['2026-03-01', '2026-03-02', '2026-03-03'],
    )
    const single = open({ closed: [''], failures: [late(), late()] })
    await assert.rejects(single.close('2026-03-03'), { code: 'overloaded', message: /counts of 2026-03-01/ })
    const last = open({ closed: ['2026-03-02'], failures: [late()] })
    await assert.rejects(last.close('2026-03-03'), { code: 'overloaded', message: /counts of 2026-03-03/ })
    assert.equal(last.sums.length, 1)
  })

  test('of a shard that cannot be used do not keep those of the others', async () => {
    const bug = new Error('bug')
    const { close, steps } = open({ failures: [bug] })
    await assert.rejects(close('2026-03-02'), bug)
    assert.deepEqual(steps, [[1, '2026-03-02']])
  })

  test('are not closed with sums of a moment at which others were', async () => {
    for (const change of [{ closed: ['2026-03-02'] }, { folded: '2026-02-01' }]) {
      let isChanged = false
      const { close, steps } = open({
        closed: [''],
        counts: [['4', '1', '2', '3']],
        onSum: (state) => {
          if (!isChanged) Object.assign(state, change)
          isChanged = true
        },
      })
      await close('2026-03-03')
      assert.deepEqual(steps, [
        ['add', [4], [1], [2], [3]],
        [0, '2026-03-03'],
      ])
    }
  })

  test('are not closed any more after the signal', async () => {
    const { close, steps } = open({})
    await close('2026-03-02', AbortSignal.abort())
    assert.deepEqual(steps, [])
  })

  test('are those before yesterday', () => {
    assert.equal(lastDayToClose(Date.parse('2026-03-10T00:00:00Z')), '2026-03-08')
    assert.equal(lastDayToClose(Date.parse('2026-03-09T23:59:59Z')), '2026-03-07')
  })
})

test('days in the totals are the later of those that are closed and removed', async () => {
  const read = (closedDay: string | null, foldedDay: string | null) =>
    readClosedDays({ get: async () => ({ closedDay, foldedDay }) } as unknown as Postgres, 0)
  assert.deepEqual(await read('2026-03-02', '2026-03-01'), { lastDay: '2026-03-02', foldedDay: '2026-03-01' })
  assert.deepEqual(await read('2026-03-01', '2026-03-02'), { lastDay: '2026-03-02', foldedDay: '2026-03-02' })
  assert.deepEqual(await read(null, null), { lastDay: '', foldedDay: '' })
  assert.equal(hoursBetween('1970-01-01', '1970-01-02'), 'hour >= 24 AND hour < 48')
})

test('days are those of UTC, within what has a day', () => {
  assert.deepEqual([dayOf(0), dayOf(86_399_999), dayOf(86_400_000)], ['1970-01-01', '1970-01-01', '1970-01-02'])
  assert.deepEqual([dayOf(-1), dayOf(1e15)], ['1970-01-01', '9999-12-31'])
  assert.deepEqual(
    [startOf('1970-01-02'), firstHourOf('1970-01-02'), dayAfter('2026-02-28')],
    [86_400, 24, '2026-03-01'],
  )
  assert.deepEqual([laterOf('2026-01-02', '2026-01-01'), laterOf('', '2026-01-01')], ['2026-01-02', '2026-01-01'])
  assert.deepEqual(['2026-01-01', 'files', '2026-1-1', '2026-01-01x'].map(isDay), [true, false, false, false])
})

describe('the counts of a day that is removed', () => {
  async function fold(parts: readonly (readonly (readonly string[])[])[], added = 1) {
    const waiting = [...parts]
    const asked: string[] = []
    const collected: unknown[][] = []
    const run: string[] = []
    const clickHouse = {
      shards: 2,
      readFrom: (table: string) => table,
      async select(sql: string, options: { readonly mustBeStrict?: boolean }) {
        asked.push(/\) > (\(.*?\))\s/.exec(sql)?.[1] ?? '')
        assert.equal(options.mustBeStrict, true)
        return waiting.shift() ?? []
      },
    } as unknown as ClickHouse
    const statements = {
      async run(sql: string) {
        run.push(sql.trim().split(/\s+/).slice(0, 3).join(' '))
        return added
      },
    }
    const db = {
      run: async (_: string, ...values: unknown[]) => void collected.push(values),
      transaction: (work: (own: typeof statements) => Promise<void>) => work(statements),
    } as unknown as Postgres
    await foldDay({ db, clickHouse }, '2026-03-01')
    return { asked, collected, run }
  }

  test('are collected, and added once, in one transaction', async () => {
    const { asked, collected, run } = await fold([
      [
        ['4', '1', '7'],
        ['5', '2', '8'],
      ],
    ])
    assert.deepEqual(
      collected.map((values) => values.slice(0, 2)),
      [['2026-03-01', [4, 5]]],
    )
    assert.deepEqual(
      [collected[0]?.[2], collected[0]?.[3]],
      [
        ['Delivery', EVENT_TYPES[2]],
        [7, 8],
      ],
    )
    assert.deepEqual(asked, ['(0, -1)'])
    assert.deepEqual(run, [
      'INSERT INTO folded_day',
      'SELECT number FROM',
      'INSERT INTO total',
      'SELECT domain_number FROM',
      'UPDATE closed_total AS',
      'DELETE FROM folding_count',
      'DELETE FROM erased_count',
    ])
    const again = await fold([], 0)
    assert.deepEqual(
      [again.collected, again.run],
      [[], ['INSERT INTO folded_day', 'DELETE FROM folding_count', 'DELETE FROM erased_count']],
    )
  })

  test('are collected in parts of ten thousand', async () => {
    const rows = (count: number, from = 1) =>
      Array.from({ length: count }, (_, index) => [String(from + index), '1', '1'])
    const { asked, collected } = await fold([rows(10_000), rows(3, 20_000)])
    assert.deepEqual([asked, collected.length], [['(0, -1)', '(10000, 1)'], 2])
    const exact = await fold([rows(10_000)])
    assert.deepEqual([exact.asked.length, exact.collected.length], [2, 1])
  })
})
