import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatArrivalCursor, parseArrivalCursor, withDay } from './arrival-cursor.ts'
import { cursorAtEnd, findRead, listGrown } from './day-growths.ts'

const MINUTE_MS = 60_000
const CURSOR = {
  sinceMs: 1_772_366_400_000,
  arrivals: new Map([
    ['2026-03-01', 5],
    ['9999-12-31', 36],
  ]),
}

test('a position is written in base 36 and read back; clients keep it, so that its form stays', () => {
  assert.equal(formatArrivalCursor(CURSOR), 'mm7p6yo0.ftt-5.1qv1c-10')
  assert.deepEqual(parseArrivalCursor(formatArrivalCursor(CURSOR)), CURSOR)
  assert.deepEqual(parseArrivalCursor('0'), { sinceMs: 0, arrivals: new Map() })
  assert.deepEqual(withDay(CURSOR, '2026-03-01', 9).arrivals.get('2026-03-01'), 9)
  assert.deepEqual(withDay(CURSOR, '2026-03-02', 9).arrivals.size, 3)
})

test('anything else is refused', () => {
  for (const text of [
    '',
    '.',
    'A',
    '-1',
    '0.',
    '0.1',
    '0.1-',
    '0.-1',
    '0.1qv1d-1',
    `0.1-${'z'.repeat(11)}`,
    'zzzzzzzzzzz',
  ]) {
    assert.throws(() => parseArrivalCursor(text), { code: 'invalid_cursor' }, text)
  }
})

test('the position at the end names the days that have grown in the ten minutes before the last commit', () => {
  const newestMs = CURSOR.sinceMs
  const growths = new Map([
    ['2026-03-01', { arrival: 1, storedAtMs: newestMs - 10 * MINUTE_MS }],
    ['2026-03-02', { arrival: 2, storedAtMs: newestMs - 10 * MINUTE_MS + 1 }],
    ['2026-03-03', { arrival: 3, storedAtMs: newestMs }],
  ])
  assert.deepEqual(cursorAtEnd(growths), {
    sinceMs: newestMs - 10 * MINUTE_MS,
    arrivals: new Map([
      ['2026-03-02', 2],
      ['2026-03-03', 3],
    ]),
  })
  assert.deepEqual(cursorAtEnd(new Map()), { sinceMs: 0, arrivals: new Map() })
  assert.equal(cursorAtEnd(new Map([['2026-03-01', { arrival: 1, storedAtMs: 5 }]])).sinceMs, 0)
})

test('a day has grown if it has more than was read, or if it was not named and has changed since', () => {
  const cursor = { sinceMs: 100, arrivals: new Map([['2026-03-01', 5]]) }
  const grown = (day: string, arrival: number, storedAtMs: number) =>
    [...listGrown(cursor, new Map([[day, { arrival, storedAtMs }]]))].length === 1
  assert.equal(grown('2026-03-01', 5, 200), false)
  assert.equal(grown('2026-03-01', 6, 0), true)
  assert.equal(grown('2026-03-02', 6, 100), false)
  assert.equal(grown('2026-03-02', 6, 101), true)
  // A file that a backup has replaced: what was read of it says nothing.
  assert.equal(grown('2026-03-01', 4, 101), true)
  assert.deepEqual([findRead(cursor, '2026-03-01', 5), findRead(cursor, '2026-03-01', 4)], [5, undefined])
})
