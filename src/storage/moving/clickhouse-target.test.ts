import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openModelStore } from '../../../test/harness/storage/clickhouse/model-store.ts'
import { encodeHours, encodeSending } from '../clickhouse/rows/encode-rows.ts'
import type { ClickHouse } from '../clickhouse/server/clickhouse.ts'
import { firstHourOf } from '../clickhouse/upkeep/day.ts'
import type { Postgres } from '../postgres/database/postgres.ts'
import { keepChanges, keepErased } from './clickhouse-target.ts'

const DAY = '2026-03-01'
const HOUR = firstHourOf(DAY)

function open() {
  const store = openModelStore()
  const kept: unknown[][] = []
  const db = { run: async (_: string, ...values: unknown[]) => void kept.push(values) } as unknown as Postgres
  const options: unknown[] = []
  const clickHouse: ClickHouse = Object.assign(store.clickHouse, {
    readFrom: (table: string) => table,
    select: (sql: string, given: object) => {
      options.push(given)
      return store.clickHouse.selectOf([], () => sql)
    },
  })
  return { ...store, clickHouse, db, kept, options }
}

test('the times of changes are stored on the shards of their domains', async () => {
  const { clickHouse, inserts, rowsOf } = open()
  await keepChanges(
    clickHouse,
    new Map([
      [1, 11],
      [2, 22],
      [4, 44],
    ]),
  )
  assert.deepEqual(
    rowsOf('domain_change').map(({ domain, changed_at_ms }) => [domain, changed_at_ms]),
    [
      [2, 22],
      [4, 44],
      [1, 11],
    ],
  )
  assert.deepEqual(
    inserts.map(({ table, shard }) => [table, shard]),
    [
      ['domain_change', 0],
      ['domain_change', 1],
    ],
  )
  await keepChanges(clickHouse, new Map())
  assert.equal(inserts.length, 2)
})

describe('counts of days from which events were erased', () => {
  test('are made those of the old storage: what is missing is added, once', async () => {
    const { clickHouse, db, kept, options, inserts, rowsOf } = open()
    const stored = { domain: 1, hour: HOUR, type: 1, provider: 'p', n: 3, batch: 'b' }
    await clickHouse.insert({
      table: 'event_hour',
      body: encodeHours([{ ...stored, classification: 'c' }]),
      token: 'a',
      timeoutMs: 1,
      shard: 1,
    })
    await clickHouse.insert({
      table: 'sending_hour',
      body: encodeSending([{ ...stored, origin: 'o' }]),
      token: 'b',
      timeoutMs: 1,
      shard: 1,
    })
    const counted = {
      day: DAY,
      erased: new Map([
        [1, 5],
        [2, 6],
      ]),
      hours: [
        [1, HOUR, 1, 'p', 'c', 8],
        [2, HOUR + 23, 2, '', '', 6],
      ],
      sending: [
        [1, HOUR, 1, 'p', 'o', 3],
        [1, HOUR, 1, 'p', '', 2],
      ],
    } as const
    const sums = () =>
      (['event_hour', 'sending_hour'] as const).map((table) => {
        return rowsOf(table).map((row) => [row['domain'], row['classification'] ?? row['origin'], row['n']])
      })
    for (let times = 0; times < 2; times++) {
      await keepErased(clickHouse, db, counted)
      assert.deepEqual(sums(), [
        [
          [1, 'c', 3],
          [2, '', 6],
          [1, 'c', 5],
        ],
        [
          [1, 'o', 3],
          [1, '', 2],
        ],
      ])
    }
    assert.equal(inserts.length, 5)
    assert.deepEqual(kept, [
      [DAY, [1, 2], [5, 6]],
      [DAY, [1, 2], [5, 6]],
    ])
    assert.ok(options.every((given) => (given as { mustBeStrict?: boolean }).mustBeStrict))
  })

  test('a bug is not tried again', async () => {
    const { clickHouse, state, inserts } = open()
    state.beforeInsert = () => {
      throw new TypeError('bug')
    }
    await assert.rejects(keepChanges(clickHouse, new Map([[1, 1]])), TypeError)
    assert.equal(inserts.length, 1)
  })
})
