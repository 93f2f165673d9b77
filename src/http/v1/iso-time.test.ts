import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { parseIsoTime } from './iso-time.ts'

test('a time with a zone is accepted, and a date, which begins at midnight UTC', () => {
  const noon = Date.UTC(2026, 0, 15, 12)
  for (const text of [
    '2026-01-15T12:00:00Z',
    '2026-01-15T12:00Z',
    '2026-01-15T12:00:00.000Z',
    '2026-01-15T13:00:00+01:00',
    '2026-01-15T13:00:00 01:00',
    '2026-01-15T07:00:00-05:00',
  ]) {
    assert.equal(parseIsoTime('from', text), noon, text)
  }
  assert.equal(parseIsoTime('from', '2026-01-15'), Date.UTC(2026, 0, 15))
  assert.equal(parseIsoTime('from', '1970-01-01'), 0)
})

test("anything else is refused with the parameter's name", () => {
  for (const text of [
    '2026-01-15T12:00:00',
    '2026-01-15 12:00:00Z',
    '2026-02-31',
    '2026-13-01',
    '2026-01-15T25:00:00Z',
    '1969-12-31T23:59:59Z',
    '1768478400',
    'now',
    '15.1.2026',
    '2026',
  ]) {
    assert.throws(
      () => parseIsoTime('from', text),
      (error) =>
        error instanceof AppError && error.code === 'invalid_request' && error.message.startsWith('Invalid from: '),
      text,
    )
  }
})
