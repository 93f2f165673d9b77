import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rarely } from './rarely.ts'

test('the first report is made, and the next when the time is over', () => {
  const reported: unknown[] = []
  let nowMs = 5
  const report = rarely(
    (error) => void reported.push(error),
    100,
    () => nowMs,
  )
  for (const [at, error] of [
    [5, 'a'],
    [104, 'b'],
    [105, 'c'],
    [204, 'd'],
    [206, 'e'],
  ] as const) {
    nowMs = at
    report(error)
  }
  assert.deepEqual(reported, ['a', 'c', 'e'])
})
