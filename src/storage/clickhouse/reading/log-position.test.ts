import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import { formatPosition, parsePosition } from './log-position.ts'

test('a position comes back from its text', () => {
  for (const position of [
    { timestamp: 0, arrival: 0 },
    { timestamp: 4_294_967_295, arrival: Number.MAX_SAFE_INTEGER, span: 7200 },
  ]) {
    assert.deepEqual(parsePosition(formatPosition(position)), position)
  }
})

test('positions of other engines and other texts are refused', () => {
  for (const text of [
    '',
    '1.2',
    'c1',
    'c1.',
    'c1.2.',
    'c1.2.3.4',
    'c-1.2',
    'c1.9999999999999999',
    'c12345678901.1',
    'a1',
  ]) {
    assert.throws(
      () => parsePosition(text),
      (error) => error instanceof AppError && error.code === 'invalid_cursor',
      text,
    )
  }
})
