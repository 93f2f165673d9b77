import assert from 'node:assert/strict'
import { test } from 'node:test'
import { burst } from '../../contract/log-scene.ts'
import { countHours, countSending } from '../rows/count-rows.ts'
import { encodeHours, encodeSending } from '../rows/encode-rows.ts'
import { type EventRow, toEventRow } from '../rows/event-row.ts'
import { draftBatch } from './draft-batch.ts'
import { encodeChunk } from './encoded-events.ts'
import { identityOf } from './known-events.ts'

const ROWS = 5000
/** Some for each row of a slice, and fewer than there are rows. */
const RULES = { cutDay: '0000-01-01', closedDay: undefined, removedDomains: new Set<number>() }
const LOOKS_MAX = 4000

test('a large batch is drafted in slices, with the same bytes as in one go', async () => {
  const events = Array.from({ length: ROWS }, (_, index) => {
    const domain = { number: 1 + (index % 7), name: `d${index % 7}.test` }
    return { ...burst(index, domain), extension: { sending_address: `192.0.2.${index % 200}` } }
  })
  const rows = events.map(toEventRow)
  const chunk = encodeChunk(rows)
  // How often events are looked at before others get the thread.
  let looks = 0
  let most = 0
  let isDone = false
  const count = () => {
    most = Math.max(most, looks)
    looks = 0
    if (!isDone) setImmediate(count)
  }
  const watch = (row: EventRow): EventRow => ({
    ...row,
    get event() {
      looks++
      return row.event
    },
  })
  const waiting = rows.map((row, place) => ({ row: watch(row), chunk, place, index: place }))
  looks = 0
  setImmediate(count)
  const known = { events: new Set<string>(), origins: new Map(), nowMs: 1 }
  const { batch } = await draftBatch(waiting, RULES, known)
  isDone = true
  assert.ok(most > 0 && most <= LOOKS_MAX, `${most} looks at events in a row`)
  const { token = '', content } = batch ?? {}
  const counts = new Map(content?.counts)
  assert.deepEqual(Buffer.from(counts.get('event_hour') ?? []), Buffer.from(encodeHours(countHours(rows, token))))
  const sending = encodeSending(countSending(rows, new Map(), token))
  assert.deepEqual(Buffer.from(counts.get('sending_hour') ?? []), Buffer.from(sending))
  assert.deepEqual(content?.events.bytes, chunk.bytes)
})

test('events are expired before the cut or of domains that were removed, duplicates of stored ones and of each other', async () => {
  const CUT = Date.parse('2026-03-01T00:00:00Z') / 1000
  const domain = { number: 1, name: 'a.test' }
  const rows = [
    burst(0, domain, CUT - 1),
    burst(1, domain, CUT),
    burst(2, domain, CUT),
    burst(1, domain, CUT),
    burst(3, { number: 2, name: 'b.test' }, CUT),
  ].map(toEventRow)
  const chunk = encodeChunk(rows)
  const waiting = rows.map((row, place) => ({ row, chunk, place, index: place }))
  const rules = { ...RULES, cutDay: '2026-03-01', closedDay: '2026-03-01', removedDomains: new Set([2]) }
  const stored = identityOf(rows[2] ?? assert.fail())
  const draft = (events: readonly string[]) =>
    draftBatch(waiting, rules, { events: new Set(events), origins: new Map(), nowMs: 1 })
  const { outcomes, batch } = await draft([stored])
  assert.deepEqual(
    waiting.map((row) => outcomes.get(row)),
    ['expired', 'stored', 'duplicate', 'duplicate', 'expired'],
  )
  assert.deepEqual([batch?.events, batch?.domainNumbers], [1, new Set([1])])
  assert.deepEqual(batch?.closedCounts, [{ domain: 1, bounce: 0, delivery: 1, reception: 0 }])
  // None has an origin: nothing is inserted of that.
  assert.deepEqual(
    batch?.content.counts.map(([table]) => table),
    ['event_hour', 'domain_change'],
  )
  const nothing = await draft([stored, identityOf(rows[1] ?? assert.fail())])
  assert.deepEqual([nothing.batch, nothing.outcomes.size], [undefined, 5])
})
