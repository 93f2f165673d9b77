import assert from 'node:assert/strict'
import { test } from 'node:test'
import { barParts, roundUp } from './bar-heights.ts'

test('a small share is visible, and a bar is never higher than the histogram', () => {
  const parts = barParts({ counts: { Delivery: 9990, Bounce: 1, Feedback: 2 } }, 9993)
  const heightOf = (type: string) => parts.find((part) => part.type === type)?.height ?? 0
  assert(heightOf('Bounce') >= 0.03 && heightOf('Feedback') >= 0.03)
  assert(parts.reduce((sum, { height }) => sum + height, 0) <= 1.000001)
  assert.equal(heightOf('Click'), 0)
  const low = barParts({ counts: { Delivery: 90, Bounce: 1, Feedback: 1, Opened: 8 } }, 1000)
  assert(Math.abs(low.reduce((sum, { height }) => sum + height, 0) - 0.1) < 1e-9, 'a low bar is not enlarged')
  assert.deepEqual(barParts({ counts: { Bounce: 5 } }, 10), [{ type: 'Bounce', height: 0.5 }])
})

test('the scale ends at a round number', () => {
  assert.deepEqual([0, 1, 3, 7, 10, 11, 430, 5001].map(roundUp), [1, 1, 3, 8, 10, 15, 500, 6000])
})
