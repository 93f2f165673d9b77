import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPosition } from '../days/day.ts'
import { formatPosition, parsePosition, positionOn, toEventPosition } from './log-position.ts'

/** 2026-03-01, midnight. */
const START = 1_772_323_200

test('a position is one of a day, or none of it', () => {
  const position = toPosition(100, 7)
  const there = { timestamp: START + 100, arrival: 7 }
  assert.deepEqual(toEventPosition('2026-03-01', position), there)
  assert.equal(positionOn('2026-03-01', there), position)
  for (const day of ['2026-02-28', '2026-03-02']) assert.equal(positionOn(day, there), undefined)
})

test('its text is read back; any other text is refused', () => {
  const there = { timestamp: START, arrival: 2 ** 32 - 1 }
  assert.deepEqual(parsePosition(formatPosition(there)), there)
  for (const text of ['', '1', '1.', '.1', '1.2.3', '-1.2', '1.2 ', '123456789012.1', '1.123456789012']) {
    assert.throws(() => parsePosition(text), { code: 'invalid_cursor' }, text)
  }
})
