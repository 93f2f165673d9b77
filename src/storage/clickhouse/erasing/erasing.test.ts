/** The steps of an erasure, on databases that answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Erasure } from '../../../events/log/event-log.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Eraser } from './eraser.ts'
import type { Decided } from './erasure-lease.ts'

type Rows = readonly (readonly (string | number)[])[]

interface Scene {
  readonly days?: readonly string[]
  /** By day: domain, events and newest of each. */
  readonly found?: Readonly<Record<string, Rows>>
  /** By table: partitions with counts of the domains. */
  readonly counts?: Readonly<Record<string, readonly string[]>>
  readonly left?: Decided
  /** Files that are out of use. */
  readonly files?: Rows
  readonly unfinished?: ReadonlyMap<number, number>
  readonly stepMs?: number
}

const DAYS = ['2026-03-01', '2026-03-02']
const DOMAINS: Erasure = { what: 'domains', domainNumbers: [4, 5] }

function open({ days = DAYS, found = {}, counts = {}, left, files = [], unfinished = new Map(), stepMs }: Scene) {
  const commands: string[] = []
  const decisions: (Decided | null)[] = []
  const changes: unknown[][] = []
  const bounds: string[] = []
  let idle = 0
  const answer = (sql: string): Rows => {
    if (sql.includes('NOT active')) return files
    if (sql.includes("AND table = 'event' AND active AND partition >=")) {
      const from = /partition >= '([^']*)'/.exec(sql)?.[1] ?? ''
      return days.filter((day) => day >= from).map((day) => [day])
    }
    if (sql.includes('count(), max(arrival)')) {
      bounds.push(/arrival < (\d+)/.exec(sql)?.[1] ?? '')
      const start = Number(/timestamp >= (\d+)/.exec(sql)?.[1])
      return found[new Date(start * 1000).toISOString().slice(0, 10)] ?? []
    }
    if (sql.startsWith('SELECT DISTINCT'))
      return (counts[/FROM (\w+)/.exec(sql)?.[1] ?? ''] ?? []).map((part) => [part])
    if (sql.includes('system.mutations')) return commands.length > 0 ? commands.map(() => ['event', '', '0']) : []
    if (sql.includes('SELECT count()')) return [['0']]
    return []
  }
  const clickHouse = {
    version: [24, 8],
    database: 'd',
    shards: 2,
    readFrom: (table: string) => table,
    select: async (sql: string) => answer(sql).map((row) => row.map(String)),
    command: async (sql: string) => void commands.push(sql),
  } as unknown as ClickHouse
  const run = async (sql: string, ...values: unknown[]) => {
    if (sql.includes('decided = $2')) decisions.push(JSON.parse(String(values[1])) as Decided | null)
    else if (/erased_count|unclean_partition/.test(sql))
      changes.push([sql.trim().split(' ').slice(0, 3).join(' '), ...values])
    return 1
  }
  const db = {
    get: async () => ({ lease: 1, decided: left ? JSON.stringify(left) : null }),
    all: async () => [],
    run,
    transaction: (work: (own: object) => Promise<void>) => work({ run }),
  } as unknown as Postgres
  const access = {
    shards: 2,
    async whileIdle<T>(_: number, work: (held: never) => Promise<T>): Promise<T> {
      idle++
      return work(undefined as never)
    },
  }
  const batches = { readHorizon: async () => ({ next: 100, unfinished }) }
  const eraser = new Eraser({ db, clickHouse, access, batches, ...(stepMs !== undefined && { stepMs }) })
  return { eraser, commands, decisions, changes, bounds, countIdle: () => idle }
}

describe('an erasure of domains', () => {
  test('without any is over at once', async () => {
    const { eraser, countIdle } = open({})
    assert.deepEqual(await eraser.erase({ what: 'domains', domainNumbers: [] }), { removed: 0 })
    assert.equal(countIdle(), 0)
  })

  test('begins with what was decided, and deletes day by day; the same day again if not all was named', async () => {
    const { eraser, decisions, changes, commands, countIdle } = open({
      found: {
        '2026-03-02': [
          [4, 3, 70],
          [5, 2, 80],
        ],
      },
    })
    assert.deepEqual(await eraser.erase(DOMAINS), { removed: 5, unit: '2026-03-02', next: '2026-03-03' })
    assert.deepEqual([countIdle(), commands.length], [2, 1])
    const [decided, completed] = decisions
    assert.deepEqual(
      [decided?.day, decided?.events, decided?.deletions[0]?.partitions, completed],
      ['2026-03-02', 5, ['2026-03-02'], null],
    )
    // Of a domain that is removed, nothing counts any more.
    assert.deepEqual(changes, [])
    const many = Array.from({ length: 1000 }, (_, index) => [index + 1, 1, 1])
    const next = await open({ found: { '2026-03-01': many } }).eraser.erase(DOMAINS)
    assert.deepEqual(next, { removed: 1000, unit: '2026-03-01', next: '2026-03-01' })
  })

  test('continues after its position, and does not wait for the shards again', async () => {
    const found = { '2026-03-01': [[4, 3, 70]] }
    const { eraser, countIdle } = open({ found })
    assert.deepEqual(await eraser.erase(DOMAINS, '2026-03-02'), { removed: 0, next: 'counts' })
    assert.equal(countIdle(), 0)
    // Of a position that is not ours everything is done again.
    assert.equal((await open({ found }).eraser.erase(DOMAINS, 'x')).removed, 3)
  })

  test('leaves events of batches that are not finished', async () => {
    const { eraser, bounds } = open({
      unfinished: new Map([
        [1, 60],
        [0, 40],
      ]),
    })
    await eraser.erase(DOMAINS)
    assert.deepEqual(bounds, ['40', '40'])
    const all = open({})
    await all.eraser.erase(DOMAINS)
    assert.deepEqual(all.bounds, ['100', '100'])
  })

  test('goes on with the next step when its time is over', async () => {
    const { eraser } = open({ stepMs: -1 })
    assert.deepEqual(await eraser.erase(DOMAINS), { removed: 0, next: '2026-03-01' })
  })

  test('deletes their counts in all tables, and forgets what was erased', async () => {
    const counts = { event_hour: ['2026-03-01', '2026-03-02'], domain_change: ['tuple()'] }
    const { eraser, decisions, commands, changes } = open({ counts })
    assert.deepEqual(await eraser.erase(DOMAINS, 'counts'), { removed: 0, next: 'files' })
    assert.deepEqual(
      decisions[0]?.deletions.map(({ table, partitions }) => [table, partitions]),
      [
        ['event_hour', ['2026-03-01', '2026-03-02']],
        ['domain_change', ['tuple()']],
      ],
    )
    assert.deepEqual([commands.length, decisions[0]?.events, changes], [2, 0, [['DELETE FROM erased_count', [4, 5]]]])
    const none = open({})
    await none.eraser.erase(DOMAINS, 'counts')
    assert.deepEqual([none.decisions, none.changes.length], [[], 1])
  })

  test('is over when no file is left', async () => {
    assert.deepEqual(await open({}).eraser.erase(DOMAINS, 'files'), { removed: 0 })
  })
})

describe('other erasures', () => {
  const EXPIRED: Erasure = { what: 'expired', domainNumbers: [4], beforeMs: Date.parse('2026-03-02') }

  test('concern days that are over, keep their counts, and have none to delete', async () => {
    const { eraser, decisions, changes } = open({
      found: { '2026-03-01': [[4, 3, 70]], '2026-03-02': [[4, 9, 90]] },
      files: [['2026-03-01', 5]],
    })
    assert.deepEqual(await eraser.erase(EXPIRED), { removed: 3, unit: '2026-03-01', next: '2026-03-02' })
    assert.equal(decisions.length, 2)
    assert.deepEqual(changes, [
      ['INSERT INTO erased_count', '2026-03-01', [4], [3]],
      ['INSERT INTO unclean_partition', 'event', '2026-03-01', 5],
    ])
    assert.deepEqual(await open({}).eraser.erase(EXPIRED), { removed: 0, next: 'files' })
    assert.deepEqual(await open({}).eraser.erase(EXPIRED, 'counts'), { removed: 0, next: 'files' })
  })

  test('finish first what was decided before; their own counts as a step', async () => {
    const first = open({ found: { '2026-03-01': [[4, 3, 70]] } })
    await first.eraser.erase(EXPIRED)
    const left = first.decisions[0] ?? assert.fail()
    const own = open({ left })
    assert.deepEqual(await own.eraser.erase(EXPIRED, '2026-03-01'), {
      removed: 3,
      unit: '2026-03-01',
      next: '2026-03-01',
    })
    assert.deepEqual([own.commands.length, own.decisions], [1, [null]])
    const other = open({ left })
    assert.deepEqual(await other.eraser.erase(DOMAINS, '2026-03-03'), { removed: 0, next: 'counts' })
    assert.deepEqual([other.commands.length, other.decisions], [1, [null]])
  })
})
