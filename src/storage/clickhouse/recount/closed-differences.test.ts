/** Totals of closed days and the sums of their hours, on databases that answer as a test says. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HeldShard } from '../../postgres/batches/held-shard.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { compareClosed } from './closed-differences.ts'

type Counts = readonly [bounce: number, delivery: number, reception: number]

interface Scene {
  readonly totals?: Readonly<Record<number, Counts>>
  /** Sums of the hours, at first sight and under the lock. */
  readonly hours?: Readonly<Record<number, Counts>>
  readonly hoursLater?: Readonly<Record<number, Counts>>
  readonly removed?: readonly number[]
  readonly closedDay?: string
  readonly foldedDay?: string
  readonly last?: number
}

async function compare(scene: Scene, isRepairing = false) {
  const {
    totals = {},
    hours = {},
    hoursLater = hours,
    removed = [],
    closedDay = '1970-01-03',
    foldedDay = '1970-01-01',
    last = 9,
  } = scene
  const changes: unknown[] = []
  const asked: string[] = []
  const held: number[] = []
  const statements = {
    number: async () => last,
    get: async () => ({ closedDay, foldedDay }),
    async all(sql: string, numbers: readonly number[]) {
      if (sql.includes('removed_domain'))
        return removed.filter((number) => numbers.includes(number)).map((number) => ({ number }))
      return numbers.flatMap((domain) => {
        const [bounce, delivery, reception] = totals[domain] ?? []
        return bounce === undefined ? [] : [{ domain, bounce, delivery, reception }]
      })
    },
    async run(sql: string, ...values: unknown[]) {
      if (sql.startsWith('DELETE')) changes.push(['delete', ...values])
      if (sql.includes('INSERT INTO closed_total')) changes.push(['add', ...values])
      return 1
    },
  }
  const clickHouse = {
    shards: 2,
    readFrom: (table: string) => table,
    async select(sql: string) {
      asked.push(sql)
      const shard = Number(/domain % 2 = (\d)/.exec(sql)?.[1])
      const sums = held.length > 0 ? hoursLater : hours
      return Object.entries(sums).flatMap(([domain, own]) =>
        Number(domain) % 2 === shard ? [[domain, ...own.map(String)]] : [],
      )
    },
  } as unknown as ClickHouse
  const access = {
    shards: 2,
    whileIdle<T>(number: number, work: (own: HeldShard) => Promise<T>): Promise<T> {
      held.push(number)
      return work({
        number,
        transaction: <R>(run: (own: object) => Promise<R>) => run(statements),
      } as unknown as HeldShard)
    },
  }
  const findings = await compareClosed({ db: statements as unknown as Postgres, clickHouse, access }, isRepairing)
  return { findings, changes, asked, held }
}

describe('totals of closed days', () => {
  test('that are the sums of their hours are right, and nothing is locked', async () => {
    const same = { 1: [1, 2, 3], 2: [0, 5, 0] } as const
    const { findings, held, asked } = await compare({ totals: same, hours: same })
    assert.deepEqual([findings, held, asked.length], [[], [], 2])
    assert.match(asked[0] ?? '', /hour >= 24 AND hour < 72 AND domain % 2 = 0 AND .* AND domain IN \(0, 2, 4, 6, 8\)/)
  })

  test('that differ are named by what differs, and replaced if that is wanted', async () => {
    const scene = {
      totals: { 1: [1, 2, 3], 4: [1, 1, 1], 6: [0, 0, 0] },
      hours: { 1: [1, 4, 3], 2: [0, 5, 0] },
    } as const
    const expected = [
      'up to 1970-01-03: domain 4, bounce: sum of closed days 1, sum of hourly counters 0; delivery: sum of closed days 1, sum of hourly counters 0; reception: sum of closed days 1, sum of hourly counters 0',
      'up to 1970-01-03: domain 2, delivery: sum of closed days 0, sum of hourly counters 5',
      'up to 1970-01-03: domain 1, delivery: sum of closed days 2, sum of hourly counters 4',
    ]
    const { findings, changes, held } = await compare(scene)
    assert.deepEqual([new Set(findings), changes, held], [new Set(expected), [], [0, 1]])
    const repaired = await compare(scene, true)
    assert.deepEqual(repaired.changes, [
      ['delete', [4, 2]],
      ['add', [4, 2], [0, 0], [0, 5], [0, 0]],
      ['delete', [1]],
      ['add', [1], [1], [4], [3]],
    ])
  })

  test('that are right when they are looked at again, and those of removed domains, are left alone', async () => {
    const again = await compare(
      { totals: { 1: [1, 2, 3] }, hours: { 1: [1, 4, 3] }, hoursLater: { 1: [1, 2, 3] } },
      true,
    )
    assert.deepEqual([again.findings, again.changes, again.held], [[], [], [1]])
    const removed = await compare({ totals: { 1: [1, 2, 3] }, removed: [1] }, true)
    assert.deepEqual([removed.findings, removed.held], [[], []])
  })

  test('of days that are all removed have no hours', async () => {
    const { asked, findings } = await compare({ closedDay: '1970-01-01', totals: { 1: [0, 1, 0] } })
    assert.deepEqual([asked, findings.length], [[], 1])
  })

  test('of many domains are compared in parts, and ten of them under one lock', async () => {
    const totals = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [index * 2, [1, 0, 0] as const]))
    const { held, findings, asked } = await compare({ totals, last: 10_000 })
    assert.deepEqual([held, findings.length], [[0, 0], 11])
    assert.match(asked[0] ?? '', /domain >= 0 AND domain <= 9998 /)
    // Two parts of each shard; of the second, the other shard has no number.
    assert.equal(asked.length, 2 + 2 + 1)
  })
})
