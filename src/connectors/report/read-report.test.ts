/** Every pair of files in testdata is a message and the expected report, or the reason for its rejection. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { leastOf } from '../../../test/harness/processor-time.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSeededRandom } from '../../lib/seeded-random.ts'
import { readReport } from './read-report.ts'

const FOLDER = join(import.meta.dirname, 'testdata')

function outcomeOf(message: Uint8Array): unknown {
  try {
    return readReport(message)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return { rejected: error.message }
    throw error
  }
}

const samples = globSync('*.eml', { cwd: FOLDER }).toSorted()

describe('a message becomes the expected report', () => {
  assert.ok(samples.length >= 40)
  for (const name of samples) {
    test(name, () => {
      const expected: unknown = JSON.parse(readFileSync(join(FOLDER, name.replace(/eml$/, 'out.json')), 'utf8'))
      const outcome = outcomeOf(readFileSync(join(FOLDER, name)))
      assert.deepEqual(JSON.parse(JSON.stringify(outcome)), expected)
    })
  }
})

/** Short, so that most damage hits a significant part. */
const SEEDS = [
  'Date: 15 Jan 2026 11:00 EST\nContent-Type: multipart/report;boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822;<b@x.org>(c)\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp;550-5.1.1 no\n--b\nContent-Type: text/rfc822-headers\n\nSubject: =?utf-8?q?a=20?=\n',
  'To: <l0-0123456789abcdef0123@b.acme.test>\nContent-Type: multipart/report;boundary="b"\n\n--b\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nOriginal-Rcpt-To: b@x.org\n--b\nContent-Type: message/rfc822\n\nX-KumoRef: eyJfQF8iOiJcXF8vIn0=\nFrom: "a" <a@b.c>\n',
  'Date: Thu, 15 Jan 2026 11:00:10 -0000\n\nHi. This is the qmail-send program at mx.example.\n\n<b@x.org>:\nRemote host said: 550 5.1.1 no (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <a@b.c>\n',
  'X-Failed-Recipients: b@x.org\n\n  b@x.org\n    host [1]: 550 no\n\n------ This is a copy of the message. ------\n\nFrom: a\n',
  'Content-Transfer-Encoding: base64\nContent-Type: message/delivery-status\n\nRmluYWwtUmVjaXBpZW50OiByZmM4MjI7YkB4Lm9yZwpBY3Rpb246IGRlbGF5ZWQK\n',
]

test('each of 100,000 damaged messages is read or rejected', () => {
  const random = createSeededRandom(20_260_115)
  const pieces = [
    '\n',
    '\n\n',
    '--b',
    '--b--\n',
    ':',
    ';',
    '=',
    '(',
    '<',
    '\0',
    '\xff',
    '\r',
    '@',
    '?=',
    ' \t',
    'boundary=',
  ]
  const mutate = (text: string): string => {
    const at = random.below(text.length + 1)
    switch (random.below(4)) {
      case 0:
        return text.slice(0, at) + random.pick(pieces) + text.slice(at)
      case 1:
        return text.slice(0, at) + text.slice(at + random.between(1, 20))
      case 2:
        return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1)
      default:
        return text.slice(0, at) + random.pick(SEEDS).slice(random.below(200), random.below(300)) + text.slice(at)
    }
  }
  const kinds = new Map<string, number>()
  for (let round = 0; round < 100_000; round++) {
    let text = random.pick(SEEDS)
    for (let changes = random.between(1, 5); changes > 0; changes--) text = mutate(text)
    const outcome = outcomeOf(Buffer.from(text, 'latin1')) as { kind?: string }
    kinds.set(outcome.kind ?? 'rejected', (kinds.get(outcome.kind ?? 'rejected') ?? 0) + 1)
  }
  // The damage must reach all kinds of results.
  for (const kind of ['delivery', 'feedback', 'unknown']) assert.ok((kinds.get(kind) ?? 0) > 5000, kind)
})

describe('hostile messages cost little', () => {
  const SIZE = 262_144
  const ROUNDS = 5
  const inStatus = (fields: string) =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n${fields}`
  const partOf = (outer: string, inner: string) => `--${outer}\nContent-Type:multipart/x;boundary=${inner}\n\n`
  const cases: Record<string, string> = {
    'nothing but line ends': 'Content-Type: text/plain\n\n'.padEnd(SIZE, '\n'),
    'thousands of parts': 'Content-Type: multipart/report; boundary=b\n\n'.padEnd(SIZE, '--b\n\n'),
    'deep nesting': Array.from(
      { length: 3000 },
      (_, n) => `Content-Type: multipart/x; boundary=b${n}\n\n--b${n}\n`,
    ).join(''),
    'thousands of parts within parts, none of which has its boundary':
      'Content-Type: multipart/x; boundary=a\n\n'.padEnd(SIZE / 2, partOf('a', 'b') + partOf('b', '-z').repeat(60)) +
      ''.padEnd(SIZE / 2, '-'),
    'a huge header': 'Subject: '.padEnd(SIZE, '=?utf-8?q?'),
    'thousands of headers': ''.padEnd(SIZE, 'To: a@b.c\n'),
    'an address list of groups': `To: ${'a:'.repeat(30_000)}\n\n`,
    'open comments': inStatus('Final-Recipient: rfc822; '.padEnd(SIZE, '(')),
    'a line folded without end': inStatus('Diagnostic-Code: smtp; 550 x\n'.padEnd(SIZE, ' x\n')),
    'words without end': inStatus('Action: failed\nFinal-Recipient: '.padEnd(SIZE, 'a')),
    'the same field again and again': inStatus(''.padEnd(SIZE, 'Status: 5.0.0\n')),
    'tags without end': 'Content-Type: text/html\n\n'.padEnd(SIZE, '<a href="'),
    'a text in paragraphs': 'Content-Type: text/plain; format=flowed\n\n'.padEnd(SIZE, 'a \n'),
    'a qmail report about everybody': '\n\nHi. This is the qmail-send program at x.y.\n'.padEnd(SIZE, '<a@b.c>:\n'),
  }
  for (const [name, text] of Object.entries(cases)) {
    test(name, () => {
      const message = Buffer.from(text).subarray(0, SIZE)
      const ordinary = readFileSync(join(FOLDER, '01-postfix-failed.eml'))
      const yardstick = leastOf(ROUNDS, () => {
        for (let round = 0; round < 300; round++) outcomeOf(ordinary)
      })
      const spent = leastOf(ROUNDS, () => outcomeOf(message))
      // Relative to ordinary reports on the same machine; unbounded work would take as long as thousands of them.
      assert.ok(spent < yardstick * 10, `${spent} µs, ${yardstick} µs for ordinary reports`)
    })
  }
})
