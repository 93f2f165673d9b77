import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTypedWindow } from './typed-window.ts'

/** A Monday. */
const NOW = Date.UTC(2026, 10, 16, 15, 30)
const show = (text: string) => {
  const window = parseTypedWindow(text, NOW, 'utc')
  return window && [window.fromMs, window.toMs].map((ms) => new Date(ms).toISOString().slice(0, 16)).join(' ')
}

test('a duration ends now', () => {
  const cases = {
    '90m': '2026-11-16T14:00 2026-11-16T15:30',
    'last 2 hours': '2026-11-16T13:30 2026-11-16T15:30',
    '3 days': '2026-11-13T15:30 2026-11-16T15:30',
    '1w': '2026-11-09T15:30 2026-11-16T15:30',
  }
  for (const [text, expected] of Object.entries(cases)) assert.equal(show(text), expected, text)
})

test('a day is all of it, whatever its form; without a year it is the last one of that name', () => {
  const third = '2026-11-03T00:00 2026-11-04T00:00'
  for (const text of ['3 Nov', '3. November', 'Nov 3', 'november 3, 2026', '2026-11-03', ' 3  NOV 2026 '])
    assert.equal(show(text), third, text)
  assert.equal(show('yesterday'), '2026-11-15T00:00 2026-11-16T00:00')
  assert.equal(show('today'), '2026-11-16T00:00 2026-11-17T00:00')
  assert.equal(show('24 Dec'), '2025-12-24T00:00 2025-12-25T00:00')
})

test('between two times: a time without a day is of the first day, a last day is included', () => {
  const afternoon = '2026-11-03T14:00 2026-11-03T16:00'
  for (const text of [
    '3 Nov 14:00–16:00',
    '3 Nov 14:00-16:00',
    '2026-11-03 14:00 - 16:00',
    'Nov 3, 14:00 to 3 Nov 16:00',
  ])
    assert.equal(show(text), afternoon, text)
  assert.equal(show('3 Nov – 5 Nov'), '2026-11-03T00:00 2026-11-06T00:00')
  assert.equal(show('2026-11-03 to 2026-11-05'), '2026-11-03T00:00 2026-11-06T00:00')
  assert.equal(show('yesterday 22:00 – today 6:00'), '2026-11-15T22:00 2026-11-16T06:00')
  assert.equal(show('9:00–10:15'), '2026-11-16T09:00 2026-11-16T10:15')
  assert.equal(show('9:00'), '2026-11-16T09:00 2026-11-16T15:30')
  assert.equal(show('3 Nov 14:00 – now'), '2026-11-03T14:00 2026-11-16T15:30')
})

test('other texts and ranges that end before they begin are refused', () => {
  const none = [
    '',
    ' ',
    'x',
    '0m',
    '31 Feb',
    '0 Nov',
    '3 Foo',
    '25:00',
    '9:60',
    '2026-13-01',
    '16:00–14:00',
    '1-2-3',
    '5 Nov – 3 Nov',
    '3 Nov – x',
    '9:00–10:00–11:00',
    '99999999m',
    'now',
  ]
  for (const text of none) assert.equal(show(text), undefined, text)
})
