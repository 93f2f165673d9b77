import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOG_READERS, type LogDialect } from '../../connectors/log-readers.ts'
import { LogSplitter } from './log-splitter.ts'

const POSTFIX = '2026-11-15T03:00:00Z mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed\n'

function openReader(dialect: LogDialect) {
  return LOG_READERS[dialect]({ remembered: [], host: 'mail', nowMs: () => 0 })
}

function findMistake(dialect: LogDialect, text: string, reader = openReader(dialect)): string | undefined {
  const splitter = new LogSplitter(dialect, reader)
  splitter.push(Buffer.from(text))
  splitter.end()
  return splitter.findMistake()
}

test('a file in which no line is understood is reported, with the format that it may have', () => {
  assert.equal(
    findMistake('exim', POSTFIX.repeat(1234)),
    'nothing in it (1,234 lines) can be read with --format exim. Did you mean --format postfix?',
  )
  assert.match(findMistake('postfix', '{"a":1}\n') ?? '', /It is JSON: did you mean --format native\?$/)
  assert.match(findMistake('postfix', 'x\n') ?? '', /\(1 line\).* Logs of mail servers/)
  assert.equal(findMistake('postfix', `x\n${POSTFIX}`), undefined)
  assert.equal(findMistake('exim', '2026-11-15 06:34:50 End queue run: pid=1\n'), undefined)
  assert.equal(findMistake('exim', ''), undefined)
})

test('each file is judged separately, although the interpreter continues', () => {
  const reader = openReader('postfix')
  assert.equal(findMistake('postfix', POSTFIX, reader), undefined)
  assert.notEqual(findMistake('postfix', 'x\n', reader), undefined)
})

test('a file whose lines would all be quarantined is refused instead', () => {
  const splitter = new LogSplitter('powermta', openReader('powermta'))
  assert.throws(() => splitter.push(Buffer.from(POSTFIX.repeat(100))), {
    code: 'invalid_payload',
    message: /\(100 lines\) can be read with --format powermta\. Did you mean --format postfix\?$/,
  })
  const records = new LogSplitter('powermta', openReader('powermta')).push(
    Buffer.from(`type,rcpt\n${'d\n'.repeat(200)}`),
  )
  assert.equal(records.length, 200)
})

test('what a reader leaves out is counted by reason and not sent', () => {
  const splitter = new LogSplitter('postfix', openReader('postfix'))
  const sent = 'delay=0.2, delays=0/0/0/0, dsn=2.0.0, status=sent (250 2.0.0 Ok)'
  const line = `2026-11-15T03:00:00Z mail postfix/smtp[13]: 4jRxmD32Gqz2RHX8: to=<a@example.org>, relay=mx, ${sent}\n`
  assert.deepEqual([...splitter.push(Buffer.from(line.repeat(3))), ...splitter.end()], [])
  assert.deepEqual(splitter.leftOut, { sender_not_logged: 3 })
})
