import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ArrivalCursor, formatArrivalCursor, parseArrivalCursor, SETTLED_AFTER_MS } from './arrival-cursor.ts'
import { cursorAtEnd, listGrown } from './day-growths.ts'

const NOW_MS = 1_772_366_400_000
const growths = (entries: Record<string, [arrival: number, storedAtMs: number]>) =>
  new Map(Object.entries(entries).map(([day, [arrival, storedAtMs]]) => [day, { arrival, storedAtMs }]))

test('a cursor is read back from its text, which is short', () => {
  const arrivals = new Map([
    ['2026-03-01', 1_234_567],
    ['2026-02-28', 1],
  ])
  const cursor: ArrivalCursor = { sinceMs: NOW_MS, arrivals }
  assert.deepEqual(parseArrivalCursor(formatArrivalCursor(cursor)), cursor)
  assert(formatArrivalCursor(cursor).length < 30)
})

test('a cursor at the end names only days that have grown recently, and there is nothing left to read', () => {
  const days = growths({
    '2026-02-01': [500, NOW_MS - SETTLED_AFTER_MS - 1],
    '2026-02-28': [70, NOW_MS - SETTLED_AFTER_MS + 1],
    '2026-03-01': [90, NOW_MS],
  })
  const cursor = cursorAtEnd(days)
  assert.deepEqual([...cursor.arrivals.keys()], ['2026-02-28', '2026-03-01'])
  assert.deepEqual([...listGrown(cursor, days)], [])
})

test('a day that the cursor does not name has grown if events were stored in it since then', () => {
  const before = growths({ '2026-02-01': [500, 1], '2026-03-01': [90, NOW_MS] })
  const cursor = cursorAtEnd(before)
  const days = growths({ '2026-02-01': [501, NOW_MS + 5], '2026-03-01': [90, NOW_MS], '2026-03-02': [1, NOW_MS + 5] })
  assert.deepEqual(
    [...listGrown(cursor, days)],
    [
      ['2026-02-01', 501],
      ['2026-03-02', 1],
    ],
  )
})

test('a file restored from a backup is read from the time of the cursor', () => {
  const cursor = cursorAtEnd(growths({ '2026-03-01': [90, NOW_MS] }))
  const restored = growths({ '2026-03-01': [40, NOW_MS + 5] })
  assert.deepEqual([...listGrown(cursor, restored)], [['2026-03-01', 40]])
})
