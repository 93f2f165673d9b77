import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parseLogLine } from './log-line.ts'

const NOW_MS = Date.UTC(2026, 10, 15, 12)
const LOCAL = new Date(2026, 10, 15, 3, 0, 1).getTime() / 1000
const UTC = Date.UTC(2026, 10, 15, 3, 0, 1) / 1000
const LINE = { host: 'mail', program: 'postfix/smtp', pid: '21', text: 'A1: removed' }

function parse(line: string) {
  return parseLogLine(line, NOW_MS)
}

describe('the header of a line is understood', () => {
  for (const [name, header, time] of [
    ['RFC 3164', 'Nov 15 03:00:01 mail postfix/smtp[21]:', LOCAL],
    ['RFC 3164 with a priority', '<22>Nov 15 03:00:01 mail postfix/smtp[21]:', LOCAL],
    ['RFC 3339', '2026-11-15T03:00:01.123456+00:00 mail postfix/smtp[21]:', UTC],
    ['RFC 3339 without a zone', '2026-11-15T03:00:01.123456 mail postfix/smtp[21]:', LOCAL],
    ['RFC 5424', '<22>1 2026-11-15T03:00:01Z mail postfix/smtp 21 - -', UTC],
    ['RFC 5424 with structured data', '<22>1 2026-11-15T03:00:01Z mail postfix/smtp 21 X [a b="\\]]\\""][c]', UTC],
    ['RFC 5424 with a length', '123 <22>1 2026-11-15T04:00:01+01:00 mail postfix/smtp 21 - - \ufeff', UTC],
    ['journalctl -o short-precise', 'Nov 15 03:00:01.123456 mail postfix/smtp[21]:', LOCAL],
    ['journalctl -o short-iso', '2026-11-15T03:00:01+0000 mail postfix/smtp[21]:', UTC],
    ['journalctl -o short-full', 'Sun 2026-11-15 03:00:01 UTC mail postfix/smtp[21]:', UTC],
    ['journalctl -o short-full with an offset', 'Sun 2026-11-15 06:00:01 +03 mail postfix/smtp[21]:', UTC],
    ['journalctl -o short-full in the local zone', 'Sun 2026-11-15 03:00:01 CET mail postfix/smtp[21]:', LOCAL],
    ['journalctl -o short-unix', `${UTC}.999999 mail postfix/smtp[21]:`, UTC],
    ['docker compose', 'postfix-1  | Nov 15 03:00:01 mail postfix/smtp[21]:', LOCAL],
    ['docker compose --timestamps', 'x_1 | 2026-11-15T03:00:01.1Z Nov 15 09:00:01 mail postfix/smtp[21]:', UTC],
    ['kubectl logs --prefix', '[pod/postfix-0/postfix] Nov 15 03:00:01 mail postfix/smtp[21]:', LOCAL],
    ['CRI', '2026-11-15T03:00:01.123456789Z stdout F Nov 15 09:00:01 mail postfix/smtp[21]:', UTC],
  ] as const) {
    test(name, () => assert.deepEqual(parse(`${header} A1: removed`), { ...LINE, time }))
  }

  test('journalctl -o json, json-seq and json-sse', () => {
    const entry = {
      MESSAGE: 'A1: removed',
      SYSLOG_IDENTIFIER: 'postfix/smtp',
      _PID: '21',
      _HOSTNAME: 'mail',
      __REALTIME_TIMESTAMP: `${UTC}123456`,
    }
    for (const start of ['', '\u001e', 'data: '])
      assert.deepEqual(parse(start + JSON.stringify(entry)), { ...LINE, time: UTC })
    const bytes = { ...entry, MESSAGE: [...Buffer.from('A1: removed')] }
    assert.deepEqual(parse(JSON.stringify(bytes)), { ...LINE, time: UTC })
    // When it was logged, not when the journal received it.
    const earlier = { ...entry, _SOURCE_REALTIME_TIMESTAMP: `${UTC - 1}999999` }
    assert.deepEqual(parse(JSON.stringify(earlier)), { ...LINE, time: UTC - 1 })
  })

  test('a severity is not a host', () => {
    for (const severity of ['INFO    ', 'WARNING '])
      assert.deepEqual(parse(`2026-11-15T03:00:01Z ${severity}postfix/smtp[21]: A1: removed`), {
        ...LINE,
        host: undefined,
        time: UTC,
      })
  })

  test('a line of a container without a header has the time of what carried it', () => {
    const line = { ...LINE, host: undefined, time: UTC }
    assert.deepEqual(parse('2026-11-15T03:00:01Z postfix/smtp[21]: A1: removed'), line)
    assert.deepEqual(parse('{"log":"postfix/smtp[21]: A1: removed\\n","time":"2026-11-15T03:00:01.5Z"}'), line)
  })
})

test('the own time of a line counts before that of its carrier if it names its zone', () => {
  const { time } = parse('2026-11-15T09:09:09Z stdout F 2026-11-15T03:00:01+00:00 mail postfix/smtp[21]: A1: removed')
  assert.equal(time, UTC)
})

test('a line without a header is returned as it is', () => {
  for (const text of [
    '',
    'Hello, world',
    '{"type":"Delivery"}',
    '{"MESSAGE":',
    '2026-11-15 06:34:50 1xSTpC-000007-2s => |/usr/bin/vacation <a@acme.test>',
    '<22>1 2026-11-15T03:00:01Z mail postfix/smtp 21 - [a',
    'Foo 15 03:00:01 mail postfix/smtp[21]: A1: removed',
    'x'.repeat(200_000),
  ]) {
    const { text: rest, program } = parse(text)
    assert.equal(rest, text.slice(0, 16_384))
    assert.equal(program, undefined)
  }
})
