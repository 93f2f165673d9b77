import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventId } from './event-id.ts'
import { parseIsoTime, parseSyslogTime } from './log-time.ts'
import { parseReply } from './smtp-reply.ts'

const at = (text: string) => Date.parse(text) / 1000

test('times with a zone are parsed to the second, in every form that logs use', () => {
  const time = at('2026-11-15T03:48:12Z')
  for (const text of [
    '2026-11-15T03:48:12Z',
    '2026-11-15T04:48:12.123456+01:00',
    '2026-11-15 04:48:12.123 +0100',
    '2026-11-14T22:18:12-05:30',
  ])
    assert.equal(parseIsoTime(text), time, text)
})

test('times without a zone are local', () => {
  assert.equal(parseIsoTime('2026-11-15 03:48:12'), new Date(2026, 10, 15, 3, 48, 12).getTime() / 1000)
  assert.equal(parseIsoTime('2026-11-15T03:48:12.999'), new Date(2026, 10, 15, 3, 48, 12).getTime() / 1000)
})

test('text that is not a time is undefined', () => {
  for (const text of [
    '',
    'x',
    '2026-11-15',
    '2026-99-15T03:48:12Z',
    '2026-99-15 03:48:12',
    '2026-02-31 03:48:12',
    '2026-11-15T03:48Z',
  ])
    assert.equal(parseIsoTime(text), undefined)
  for (const text of ['', 'Foo 15 03:48:12', 'Nov 15', 'Nov 15 3:48:12'])
    assert.equal(parseSyslogTime(text, 0), undefined)
})

test('a date without a year is the latest one at most a day ahead of now', () => {
  const nowMs = new Date(2026, 0, 1, 0, 30).getTime()
  const local = (year: number, month: number, day: number) => new Date(year, month - 1, day, 1, 2, 3).getTime() / 1000
  assert.equal(parseSyslogTime('Dec 31 01:02:03', nowMs), local(2025, 12, 31))
  assert.equal(parseSyslogTime('Jan  1 01:02:03', nowMs), local(2026, 1, 1))
  assert.equal(parseSyslogTime('Jan  3 01:02:03', nowMs), local(2025, 1, 3))
  assert.equal(parseSyslogTime('Jan  1 01:02:03', new Date(2025, 11, 31, 23, 59).getTime()), local(2026, 1, 1))
})

test('a reply has a code, an optional enhanced code and a text; its lines are joined', () => {
  assert.deepEqual(parseReply('250 2.0.0 Ok'), { code: 250, enhancedCode: '2.0.0', text: 'Ok' })
  assert.deepEqual(parseReply('550 no'), { code: 550, enhancedCode: '', text: 'no' })
  assert.deepEqual(parseReply('550-5.1.1 a 550-5.1.1 b 550 5.1.1 c'), {
    code: 550,
    enhancedCode: '5.1.1',
    text: 'a b c',
  })
  assert.deepEqual(parseReply('550-a\n550 b'), { code: 550, enhancedCode: '', text: 'a b' })
  assert.deepEqual(parseReply('421'), { code: 421, enhancedCode: '', text: '' })
  for (const words of ['', 'no code', '1234 x', '650 x', '250x']) assert.equal(parseReply(words), undefined)
})

test('an id is a UUID, equal for equal parts and different for different ones', () => {
  const id = eventId('postfix', 'mail', 'postfix', 'ABC', 1)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(eventId('postfix', 'mail', 'postfix', 'ABC', 1), id)
  assert.notEqual(eventId('postfix', 'mail', 'postfix', 'ABC', 2), id)
  assert.notEqual(eventId('a', 'bc'), eventId('ab', 'c'))
})
