import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  eventsParams,
  logLink,
  parseLogSearch,
  windowTimes,
  withFilterValue,
  withValue,
  writeLogSearch,
} from './log-search.ts'

const NOW_MS = Date.UTC(2026, 0, 15, 12)

test('an address that is parsed and written again is unchanged', () => {
  for (const query of [
    '',
    '?q=anna%40example.org',
    '?q=a+b&type=Bounce&type=OOBBounce&domain=shop.acme.example&code=5xx&last=24h',
    '?subject=100+%25+off+%26+more&from=2026-01-01T00%3A00%3A00.000Z&to=2026-01-02T00%3A00%3A00.000Z&live=1',
    '?message=id%2Fwith%3Fodd%26letters&in=acme.test',
    '?reply=550+5.1.1+%3C*%3E%3A+User+unknown&not_reply=queued+as+*',
    '?q=-type%3AOpened+anna&code=5xx&not_type=Opened&not_provider=A+%26+B&not_provider=C',
  ]) {
    assert.equal(writeLogSearch(parseLogSearch(query)), query)
  }
})

test('invalid parameters of an address are ignored', () => {
  const search = parseLogSearch('?type=Bounce&type=Nonsense&type=Bounce&last=9000y&recipient=a&recipient=b&code=')
  assert.equal(writeLogSearch(search), '?type=Bounce&recipient=a')
})

test('the API is asked with the same names and values, and with the window as times', () => {
  const search = parseLogSearch('?q=x&type=Bounce&domain=a.test&domain=b.test&last=24h&live=1&message=m')
  assert.equal(
    eventsParams(search, NOW_MS, 90).toString(),
    'q=x&type=Bounce&domain=a.test&domain=b.test&from=2026-01-14T12%3A00%3A00.000Z',
  )
})

test('all retained events begin where retention ends; an unreadable time counts as missing', () => {
  const all = windowTimes({ last: 'all' }, NOW_MS, 90)
  assert.equal(all.fromMs, NOW_MS - 90 * 86_400_000)
  assert.deepEqual(windowTimes({ from: 'rubbish', to: 'rubbish' }, NOW_MS, 90), all)
})

test('filters of several values collect them, the others replace theirs', () => {
  const empty = parseLogSearch('')
  const types = withFilterValue(withFilterValue(empty, 'type', 'Bounce', true), 'type', 'Feedback', true)
  assert.deepEqual(types.filters, { type: ['Bounce', 'Feedback'] })
  assert.deepEqual(withFilterValue(types, 'type', 'Bounce', false).filters, { type: ['Feedback'] })
  const subject = withFilterValue(withFilterValue(empty, 'subject', 'one', true), 'subject', 'two', true)
  assert.deepEqual(subject.filters, { subject: ['two'] })
  assert.deepEqual(withFilterValue(subject, 'subject', 'two', false).filters, {})
})

test('a link into the log carries its filters', () => {
  assert.equal(logLink({ filters: { type: ['Bounce'], provider: ['A & B'] } }), '/log?type=Bounce&provider=A+%26+B')
  assert.equal(logLink({}), '/log')
})

test('a value is wanted or left out, never both, and the same click takes it back', () => {
  const empty = parseLogSearch('')
  const only = withValue(empty, 'provider', 'Gmail', true)
  assert.deepEqual(only.filters, { provider: ['Gmail'] })
  const none = withValue(only, 'provider', 'Gmail', false)
  assert.deepEqual(none.filters, { not_provider: ['Gmail'] })
  assert.deepEqual(withValue(none, 'provider', 'Gmail', false).filters, {})
  assert.deepEqual(withValue(none, 'provider', 'Yahoo', true).filters, { provider: ['Yahoo'], not_provider: ['Gmail'] })
})
