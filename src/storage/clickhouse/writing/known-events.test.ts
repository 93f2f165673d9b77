import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openModelStore } from '../../../../test/harness/storage/clickhouse/model-store.ts'
import { burst } from '../../contract/log-scene.ts'
import { encodeEvents } from '../rows/encode-rows.ts'
import { type EventRow, toEventRow } from '../rows/event-row.ts'
import { Deadline } from './deadline.ts'
import { findKnown, identityOf } from './known-events.ts'

const MIDNIGHT = 20_000 * 86_400

function rowOf(index: number, domain: number, timestamp: number): EventRow {
  return toEventRow(burst(index, { number: domain, name: 'a.test' }, timestamp))
}

async function open(stored: readonly EventRow[]) {
  const { clickHouse, reads } = openModelStore()
  const body = encodeEvents(stored, 1)
  await clickHouse.insert({ table: 'event', body, token: 't', timeoutMs: 1, shard: 0 })
  return { find: (rows: readonly EventRow[]) => findKnown(clickHouse, rows, new Deadline(60_000)), reads }
}

const spanOf = ({ sql }: { readonly sql: string }) =>
  (/timestamp >= (\d+) AND timestamp <= (\d+)/.exec(sql) ?? []).slice(1).map((text) => Number(text) - MIDNIGHT)

describe('events that are stored', () => {
  test('are found by their keys, strictly, in the seconds of each day that are asked for', async () => {
    const stored = [rowOf(1, 1, MIDNIGHT), rowOf(2, 1, MIDNIGHT + 9), rowOf(3, 2, MIDNIGHT - 1), rowOf(4, 1, MIDNIGHT)]
    const { find, reads } = await open(stored)
    const asked = [...stored.slice(0, 3), rowOf(5, 1, MIDNIGHT + 4), rowOf(1, 2, MIDNIGHT)]
    assert.deepEqual(await find(asked), new Set(stored.slice(0, 3).map(identityOf)))
    assert.deepEqual(reads.map(spanOf), [
      [0, 9],
      [-1, -1],
    ])
    assert.ok(reads.every(({ options }) => options.mustBeStrict))
    assert.deepEqual(
      reads.map(({ domains }) => domains),
      [[1, 2], [2]],
    )
  })

  test('are asked for in statements of at most 400 domains, neighbours together', async () => {
    const rows = Array.from({ length: 802 }, (_, index) => rowOf(1, 1 + ((index * 7) % 401), MIDNIGHT + index))
    const { find, reads } = await open(rows)
    assert.deepEqual(await find(rows), new Set(rows.map(identityOf)))
    const parts = reads.map(({ domains }) => domains.toSorted((a, b) => a - b))
    assert.deepEqual(
      parts.toSorted((a, b) => b.length - a.length),
      [Array.from({ length: 400 }, (_, index) => index + 1), [401]],
    )
    reads.splice(0)
    await find(rows.slice(0, 400))
    assert.equal(reads.length, 1)
  })
})
