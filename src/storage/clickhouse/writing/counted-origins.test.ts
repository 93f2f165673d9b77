import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openModelStore } from '../../../../test/harness/storage/clickhouse/model-store.ts'
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import { burst } from '../../contract/log-scene.ts'
import { encodeSending } from '../rows/encode-rows.ts'
import { type EventRow, toEventRow } from '../rows/event-row.ts'
import { OriginLookup } from './counted-origins.ts'
import { Deadline } from './deadline.ts'

const DAY = 20_000
const SECONDS_PER_DAY = 86_400

function rowOf(domain: number, origin: string, day = DAY, second = 5): EventRow {
  const row = toEventRow(burst(1, { number: domain, name: 'a.test' }, day * SECONDS_PER_DAY + second))
  return { ...row, origin }
}

async function open(counted: readonly (readonly [domain: number, hour: number, origin: string])[] = []) {
  const { clickHouse, reads } = openModelStore()
  const lookup = new OriginLookup(clickHouse)
  let stored = 0
  const store = (more: typeof counted) => {
    const rows = more.map(([domain, hour, origin]) => ({
      domain,
      hour,
      origin,
      type: 1,
      provider: '',
      n: 1,
      batch: '',
    }))
    const token = String(stored++)
    return clickHouse.insert({ table: 'sending_hour', body: encodeSending(rows), token, timeoutMs: 1, shard: 0 })
  }
  await store(counted)
  const find = async (...rows: readonly EventRow[]) => {
    const found = await lookup.find(rows, new Deadline(60_000))
    return Object.fromEntries([...found].map(([key, origins]) => [key, [...origins].sort()]))
  }
  return { find, store, reads }
}

describe('origins that are counted', () => {
  test('are those of each domain and day, from midnight to midnight', async () => {
    const { find, reads } = await open([
      [1, DAY * 24 - 1, 'before'],
      [1, DAY * 24, 'first'],
      [1, DAY * 24 + 23, 'last'],
      [1, DAY * 24 + 24, 'after'],
      [1, DAY * 24 + 3, ''],
      [2, DAY * 24, 'other'],
    ])
    assert.deepEqual(await find(rowOf(1, 'x', DAY, 0), rowOf(1, 'x', DAY, SECONDS_PER_DAY - 1)), {
      [`1 ${DAY}`]: ['first', 'last'],
    })
    assert.deepEqual(await find(rowOf(2, 'x'), rowOf(2, 'x', DAY + 2), rowOf(1, 'y', DAY - 1)), {
      [`2 ${DAY}`]: ['other'],
      [`2 ${DAY + 2}`]: [],
      [`1 ${DAY - 1}`]: ['before'],
    })
    assert.ok(reads.every(({ options }) => options.mustBeStrict))
    const hours = reads.map(({ sql }) => (/hour >= (\d+)\s+AND hour < (\d+)/.exec(sql) ?? []).slice(1).map(Number))
    assert.deepEqual(hours, [
      [DAY * 24, DAY * 24 + 24],
      [DAY * 24 - 24, DAY * 24 + 72],
    ])
  })

  test('of rows without an origin are not looked for', async () => {
    const { find, reads } = await open()
    assert.deepEqual([await find(rowOf(1, '')), reads], [{}, []])
  })

  test('are kept, and looked for again for an origin that is not among them: others may have counted it', async () => {
    const { find, store, reads } = await open([[1, DAY * 24, 'a']])
    const key = `1 ${DAY}`
    for (let times = 0; times < 2; times++) assert.deepEqual(await find(rowOf(1, 'a')), { [key]: ['a'] })
    assert.equal(reads.length, 1)
    await store([[1, DAY * 24, 'b']])
    assert.deepEqual(await find(rowOf(1, 'a')), { [key]: ['a'] })
    assert.deepEqual([await find(rowOf(1, 'a'), rowOf(1, 'b')), reads.length], [{ [key]: ['a', 'b'] }, 2])
    assert.deepEqual([await find(rowOf(1, 'b')), reads.length], [{ [key]: ['a', 'b'] }, 2])
  })

  test('are looked for no more once there are as many as are counted by themselves', async () => {
    const origins = Array.from({ length: ORIGINS_PER_DAY }, (_, index) => [1, DAY * 24, `o${index}`] as const)
    const { find, store, reads } = await open(origins.slice(1))
    await find(rowOf(1, 'new'))
    await find(rowOf(1, 'new'))
    assert.equal(reads.length, 2)
    await store(origins.slice(0, 1))
    await find(rowOf(1, 'new'))
    await find(rowOf(1, 'new'))
    assert.equal(reads.length, 3)
  })

  test('are kept for about two thousand domains and days', async () => {
    const { find, reads } = await open([[1, DAY * 24, 'a']])
    const others = Array.from({ length: 2000 }, (_, index) => rowOf(2 + index, 'a'))
    await find(rowOf(1, 'a'))
    await find(...others.slice(0, 1999))
    await find(others[1999] ?? assert.fail())
    await find(rowOf(1, 'a'))
    assert.equal(reads.length, 3)
    // More than are kept: all are forgotten first.
    await find(rowOf(9000, 'a'))
    await find(rowOf(1, 'a'))
    assert.equal(reads.length, 5)
  })
})
