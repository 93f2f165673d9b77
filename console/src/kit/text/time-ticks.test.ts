import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTicks } from './time-ticks.ts'
import { setZone } from './zone.ts'

setZone('utc')
const labels = (from: string, to: string, most = 8) =>
  listTicks(Date.parse(from), Date.parse(to), most).map(({ label }) => label)

test('every axis names a day, and whole hours or days in between', () => {
  assert.deepEqual(labels('2026-11-16T14:20:00Z', '2026-11-16T17:00:00Z'), ['16 Nov 15:00', '16:00', '17:00'])
  assert.deepEqual(labels('2026-11-15T17:00:00Z', '2026-11-16T17:00:00Z'), [
    '18:00',
    '21:00',
    '16 Nov',
    '03:00',
    '06:00',
    '09:00',
    '12:00',
    '15:00',
  ])
  assert.deepEqual(labels('2026-11-09T17:00:00Z', '2026-11-16T17:00:00Z'), [
    '10 Nov',
    '11 Nov',
    '12 Nov',
    '13 Nov',
    '14 Nov',
    '15 Nov',
    '16 Nov',
  ])
})

test('an axis of any length has at most as many as fit', () => {
  for (let hours = 1; hours < 24 * 365 * 12; hours = Math.ceil(hours * 1.7)) {
    const toMs = Date.UTC(2026, 10, 16, 17)
    const ticks = listTicks(toMs - hours * 3_600_000, toMs, 6)
    assert(ticks.length >= 1 && ticks.length <= 7, `${hours} hours: ${ticks.length}`)
  }
})
