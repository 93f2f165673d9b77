/** Retention and the state of the cluster, on databases that answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { WriteTimes } from '../writing/write-times.ts'
import { ClusterWatch } from './cluster-watch.ts'
import { firstHourOf } from './day.ts'
import { removeBefore } from './remove-before.ts'

interface Scene {
  readonly folded?: string
  /** Days with counts. */
  readonly counted?: readonly string[]
  /** Tables and days that members still have. */
  readonly parts?: readonly (readonly string[])[]
  readonly version?: readonly [number, number]
  /** Of old versions: days with rows, by table. */
  readonly remains?: Readonly<Record<string, readonly string[]>>
}

async function remove({ folded = '', counted = [], parts = [], version = [24, 8], remains = {} }: Scene) {
  const state = { folded }
  const commands: string[] = []
  const asked: string[] = []
  const inserts: string[] = []
  const cuts: unknown[][] = []
  let [idle, told] = [0, 0]
  const run = async (sql: string, ...values: unknown[]) => {
    if (sql.includes('cut_day')) cuts.push(values)
    if (sql.startsWith('INSERT INTO folded_day')) state.folded = String(values[0])
    return 1
  }
  const db = {
    run,
    get: async () => ({ day: state.folded || null }),
    transaction: (work: (own: object) => Promise<void>) => work({ run }),
  } as unknown as Postgres
  const clickHouse = {
    version,
    database: 'd',
    shards: 2,
    readFrom: (table: string) => table,
    async select(sql: string) {
      asked.push(sql)
      if (sql.includes('FROM event_hour') && sql.includes('hour >= ') && sql.includes('DISTINCT'))
        return counted.map((day) => [day])
      if (sql.includes('system.parts')) return sql.includes('table, name') ? [] : parts
      if (sql.includes('system.mutations'))
        return commands.map((command) => [/`\.(\w+)/.exec(command)?.[1] ?? '', '', '0'])
      if (sql.includes('LIMIT 400')) return (remains[/FROM (\w+)/.exec(sql)?.[1] ?? ''] ?? []).map((day) => [day])
      return sql.startsWith('SELECT count()') ? [['0']] : []
    },
    command: async (sql: string) => void commands.push(sql),
    insert: async ({ table }: { readonly table: string }) => void inserts.push(table),
  } as unknown as ClickHouse
  const access = {
    shards: 2,
    whileIdle<T>(_: number, work: (held: never) => Promise<T>): Promise<T> {
      idle++
      return work(undefined as never)
    },
  }
  const removed = await removeBefore(
    { db, clickHouse, access, onFolded: () => told++ },
    Date.parse('2026-03-05T12:00:00Z'),
  )
  return { removed, commands, asked, cuts, idle, told, inserts }
}

describe('days before a time', () => {
  test('are refused from then on, added to the totals, and dropped', async () => {
    const parts = [
      ['event', '2026-03-02'],
      ['event_hour', '2026-03-01'],
      ['event', '2026-03-01'],
      ['event', '2026-03-02'],
    ]
    const { removed, commands, asked, cuts, idle, told } = await remove({
      counted: ['2026-03-02', '2026-03-03'],
      parts,
    })
    assert.deepEqual([cuts, idle, told], [[[2, '2026-03-05']], 2, 2])
    assert.match(asked[0] ?? '', new RegExp(`hour >= 0 AND hour < ${firstHourOf('2026-03-05')} `))
    assert.deepEqual(commands, [
      "ALTER TABLE `d`.event DROP PARTITION '2026-03-01'",
      "ALTER TABLE `d`.event DROP PARTITION '2026-03-02'",
      "ALTER TABLE `d`.event_hour DROP PARTITION '2026-03-01'",
    ])
    assert.deepEqual(removed, ['2026-03-01', '2026-03-02', '2026-03-03'])
  })

  test('that are in the totals already are not added again, and dropped when they show up', async () => {
    const { asked, removed, commands, told } = await remove({ folded: '2026-03-02', parts: [['event', '2026-03-02']] })
    assert.match(asked[0] ?? '', new RegExp(`hour >= ${firstHourOf('2026-03-03')} `))
    assert.deepEqual([removed, commands.length, told], [['2026-03-02'], 1, 0])
    assert.deepEqual((await remove({ parts: [['event', '2026-03-02']] })).removed, [])
  })

  test('are emptied by old versions, with one statement for each table', async () => {
    const remains = { event: ['2026-03-01', '2026-03-02'], sending_hour: ['2026-03-01'] }
    const { removed, commands, inserts, asked } = await remove({ folded: '2026-03-02', version: [18, 16], remains })
    assert.deepEqual(removed, ['2026-03-01', '2026-03-02'])
    assert.deepEqual(
      commands.map((sql) => sql.split(' ').slice(2, 5).join(' ')),
      ['`d`.event DELETE WHERE', '`d`.sending_hour DELETE WHERE'],
    )
    assert.ok(commands[0]?.includes(`timestamp >= ${Date.parse('2026-03-01') / 1000}`))
    assert.ok(commands[1]?.includes(`hour >= ${firstHourOf('2026-03-01')}`))
    assert.deepEqual(inserts, ['event', 'sending_hour'])
    const end = Date.parse('2026-03-03') / 1000
    assert.ok(
      asked.some((sql) => sql.includes(`timestamp < ${end} `)) &&
        asked.some((sql) => sql.includes(`hour * 3600 < ${end} `)),
    )
    const none = await remove({ folded: '2026-03-02', version: [18, 16] })
    assert.deepEqual([none.removed, none.commands, none.inserts], [[], [], []])
  })
})

describe('the state of the cluster', () => {
  async function watch(
    given: {
      readonly answer?: (sql: string) => readonly (readonly string[])[]
      readonly isPostgresAway?: boolean
      readonly oldestMs?: number
      readonly isSingle?: boolean
    },
    isSeen: (figures: ClusterWatch['figures']) => boolean,
  ) {
    const { answer = () => [], isPostgresAway = false, oldestMs = 7, isSingle = false } = given
    const expected: (readonly number[])[] = []
    const clickHouse = {
      version: [24, 8],
      database: 'd',
      cluster: isSingle ? undefined : 'c',
      figures: { fallbacks: 3, failovers: 4, addresses: 1, usableAddresses: 1 },
      select: async (sql: string) =>
        sql.includes('system.clusters')
          ? [
              ['a', '1', '1'],
              ['b', '1', '1'],
            ]
          : answer(sql),
      expectReplicas: (replicas: readonly number[]) => void expected.push(replicas),
    } as unknown as ClickHouse
    const get = async () => {
      if (isPostgresAway) throw new Error('away')
      return { batches: 2, oldestMs }
    }
    const times = new WriteTimes()
    times.counts.lock = 5
    times.sumsMs.lock = 6
    const db = { answeringWithin: () => ({ get }) } as unknown as Postgres
    const watching = ClusterWatch.start({ db, clickHouse, times, everyMs: 1 })
    for (let turns = 0; turns < 2000 && !isSeen(watching.figures); turns++) await delay(1)
    await watching.stop()
    return { figures: watching.figures, expected }
  }

  test('is that of its members and batches', async () => {
    const rows = [
      ['a', '1', '0', '3'],
      ['b', '1', '1', '9'],
    ]
    const answer = (sql: string) => (sql.includes('system.replicas') ? rows : [['1']])
    const { figures, expected } = await watch({ answer }, ({ members }) => members > 0)
    assert.deepEqual(figures, {
      isPostgresReachable: true,
      isClickHouseReachable: true,
      members: 2,
      reachableMembers: 2,
      readOnlyMembers: 1,
      lagSeconds: 9,
      unfinishedBatches: 2,
      oldestBatchMs: 7,
      locks: 5,
      lockWaitMs: 6,
      relaxedReads: 3,
      failovers: 4,
    })
    assert.deepEqual(expected[0], [2])
  })

  test('with a member missing expects no more replicas, and no time is negative', async () => {
    const answer = (sql: string) => (sql.includes('system.replicas') ? [['a', '1', '0', '0']] : [['1']])
    const { figures, expected } = await watch({ answer, oldestMs: -5 }, ({ members }) => members > 0)
    assert.deepEqual([figures.reachableMembers, figures.lagSeconds, figures.oldestBatchMs, expected], [1, 0, 0, []])
  })

  test('says which database is away; a single server is its only member', async () => {
    const away = () => {
      throw new Error('away')
    }
    const { figures } = await watch(
      { answer: away, isPostgresAway: true },
      (seen) => !seen.isPostgresReachable && !seen.isClickHouseReachable,
    )
    assert.deepEqual(
      [figures.isPostgresReachable, figures.isClickHouseReachable, figures.reachableMembers],
      [false, false, 0],
    )
    const single = await watch({ isSingle: true }, ({ members }) => members > 0)
    assert.deepEqual([single.figures.members, single.figures.reachableMembers], [1, 1])
  })
})
