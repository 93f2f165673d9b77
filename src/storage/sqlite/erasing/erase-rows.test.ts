import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { AppError } from '../../../lib/app-error.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { toMessageKey } from '../days/message-key.ts'
import { DayWriters } from '../writing/day-writers.ts'
import { toEventRow } from '../writing/event-row.ts'

const NOON = 1_772_366_400
const DAY = dayOfTimestamp(NOON)

function openWriters(isRemovedDomain?: (domain: number) => boolean) {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const writers = new DayWriters(files, () => false, isRemovedDomain && { isRemovedDomain })
  const close = () => {
    writers.close()
    folder[Symbol.dispose]()
  }
  return { writers, files, [Symbol.dispose]: close }
}

function row(index: number, domainNumber = 1, id = `m${index}`) {
  const event = { id, timestamp: NOON + index, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  return toEventRow({ domainNumber, event })
}

const rows = (count: number, domain?: number, id?: string) =>
  Array.from({ length: count }, (_, index) => row(index, domain, id))

test('a step removes at most 500 events, of a domain and of one message with very many events', () => {
  using scene = openWriters()
  scene.writers.store([rows(1200), rows(1200, 2, 'one')], 0)
  for (const erasure of [{ domains: [1], keepsCounts: true }, { messages: [toMessageKey(2, 1201)] }] as const) {
    const removed: number[] = []
    for (let isDone = false; !isDone; ) {
      const step = scene.writers.erase(DAY, erasure)
      removed.push(step.removed)
      isDone = step.isDone
      assert.ok(removed.length < 20)
    }
    assert.ok(Math.max(...removed) <= 500)
    assert.equal(
      removed.reduce((sum, some) => sum + some),
      1200,
    )
  }
  using db = scene.files.openForReading(DAY, 1000)
  for (const table of ['event', 'message', 'message_signature'])
    assert.equal(db.number(`SELECT count(*) FROM ${table}`), 0, table)
})

test('events of removed domains are not stored, those of others are', () => {
  using scene = openWriters((domain) => domain === 2)
  const { requests } = scene.writers.store([[row(1), row(1, 2), row(2)]], 0)
  assert.deepEqual(requests, [{ stored: 2, duplicates: 0, expired: [1] }])
})

test('a locked day is refused as a whole, and stored once it is unlocked', () => {
  using scene = openWriters()
  scene.writers.store([[row(1)]], 0)
  scene.writers.lock(DAY)
  assert.throws(
    () => scene.writers.store([[row(2)]], 0),
    (error) => error instanceof AppError && error.code === 'overloaded',
  )
  scene.writers.unlock(DAY)
  assert.partialDeepStrictEqual(scene.writers.store([[row(2)]], 0).requests, [{ stored: 1 }])
})

test('a day without a file has nothing to erase, and gets none', () => {
  using scene = openWriters()
  assert.deepEqual(scene.writers.erase(DAY, { messages: [1] }), { removed: 0, rows: 0, isDone: true })
  assert.deepEqual(scene.files.list(), [])
})
