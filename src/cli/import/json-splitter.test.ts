import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonSplitter } from './json-splitter.ts'

function split(...chunks: readonly string[]): readonly string[] {
  const splitter = new JsonSplitter()
  const records = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk, 'latin1')))
  return [...records, ...splitter.end()].map(({ bytes }) => bytes.toString('latin1'))
}

const JUNK = 'this is not JSON\n'
const POSTFIX = '2026-11-15T03:00:00Z mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed\n'

test('if any line is JSON, every record is passed on in order, including the lines before it', () => {
  assert.deepEqual(split('{"a":1}\n', JUNK, '{"b":2}'), ['{"a":1}', JUNK.trim(), '{"b":2}'])
  assert.deepEqual(split(JUNK, JUNK, '{"a":1}\n', JUNK), [JUNK.trim(), JUNK.trim(), '{"a":1}', JUNK.trim()])
  assert.equal(split(JUNK.repeat(99), '{}\n', JUNK.repeat(200)).length, 300)
  assert.deepEqual(split('[1,', '2]'), ['1', '2'])
  // JSON except for its encoding: the record is rejected, the file is not.
  assert.deepEqual(split('{"a":"\xfc"}\n'), ['{"a":"\xfc"}'])
  assert.deepEqual(split(''), [])
})

test('where nothing is JSON, it is refused after a hundred lines, or at its end', () => {
  const splitter = new JsonSplitter()
  assert.deepEqual(splitter.push(Buffer.from(JUNK.repeat(99))), [])
  assert.throws(() => splitter.push(Buffer.from(`${JUNK}{}\n`)), {
    code: 'invalid_payload',
    message: /^the first 100 lines are not JSON; nothing was imported\. Logs .* --format exim or postfix or powermta/,
  })
  assert.throws(() => split(JUNK), { code: 'invalid_payload', message: /^the first 1 line is not JSON/ })
})

test('a log that is taken for JSON is recognized', () => {
  assert.throws(() => split(POSTFIX), { message: /Did you mean --format postfix\?$/ })
  const exim = '2026-11-15 06:34:50 +0000 1xSTpC-000007-2s Completed\n'
  assert.throws(() => split(exim), { message: /Did you mean --format exim\?$/ })
  assert.throws(() => split('type,timeLogged,orig,rcpt\n'), { message: /Did you mean --format powermta\?$/ })
})

test('a log in JSON is refused instead of being quarantined line by line', () => {
  const journal = { __REALTIME_TIMESTAMP: '1794823800100000', _HOSTNAME: 'mail', SYSLOG_PID: '13' }
  const line = { ...journal, SYSLOG_IDENTIFIER: 'postfix/qmgr', MESSAGE: '4jRxmD32Gqz2RHX8: removed' }
  const other = { ...journal, SYSLOG_IDENTIFIER: 'sshd', MESSAGE: 'Accepted publickey' }
  assert.throws(() => split(`${JSON.stringify(other)}\n${JSON.stringify(line)}\n`), {
    code: 'invalid_payload',
    message: 'it is the log of a mail server; nothing was imported. Did you mean --format postfix?',
  })
  const record = { type: 'd', timeLogged: '2026-11-16 10:03:02+0000', orig: 'a@acme.test', rcpt: 'b@example.org' }
  assert.throws(() => split(JSON.stringify([record])), { message: /Did you mean --format powermta\?$/ })
})

test('events are not mistaken for a log, whatever their texts quote', () => {
  const event = {
    id: '1',
    timestamp: 1794823800,
    type: 'Delivery',
    domain_name: 'acme.test',
    recipient: 'b@example.org',
  }
  const text = JSON.stringify({ ...event, response_content: POSTFIX, subject: 'type,timeLogged,orig,rcpt' })
  assert.deepEqual(split(text), [text])
})
