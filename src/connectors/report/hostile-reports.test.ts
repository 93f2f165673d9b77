/** The processor time of a hostile message, relative to an ordinary one of the same size, and to one of half its size. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { leastOf } from '../../../test/harness/processor-time.ts'
import { AppError } from '../../lib/app-error.ts'
import { readReport } from './read-report.ts'

const SIZE = 262_144
/** The worst that a message is found to cost is about 15 times an ordinary one. */
const RATIO_MAX = 60
/** Linear is 2, quadratic 4. */
const GROWTH_MAX = 3
const ROUNDS = 7
const LOOKS_MAX = 5

const part = (type: string, text: string) =>
  `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: ${type}\n\n${text}`
const inStatus = (fields: string) => part('message/delivery-status', fields)
const inFeedback = (fields: string) => part('message/feedback-report', fields)
const inReturned = (headers: string) =>
  `${inFeedback('Feedback-Type: abuse')}\n--b\nContent-Type: text/rfc822-headers\n\n${headers}`

const ordinary = inStatus(
  'Final-Recipient: rfc822;a@b.c\nAction: failed\nStatus: 5.1.1\n\n--b\nContent-Type: message/rfc822\n\nFrom: a@b.c\n\n',
).padEnd(SIZE, 'These are the words of a letter that came back.\n')

const inWords = (words: string, type = 'text/plain') =>
  `Return-Path: <>\nFrom: MAILER-DAEMON@b.c\nSubject: failure notice\nContent-Type: ${type}\n\n${words}`
/** For each level of nesting one part with words and one with the next level. */
const nested = (levels: number, words: string): string =>
  levels === 0
    ? `Content-Type: text/html\n\n${words}`
    : `Content-Type: multipart/mixed; boundary=n${levels}\n\n--n${levels}\n\n${words}\n--n${levels}\n${nested(levels - 1, words)}\n--n${levels}--`

const dashes = '-'.repeat(200)
const eximBreak = '---- This is a copy of the message'

/** Messages of any size. */
const attacks: Record<string, (size: number) => string> = {
  'recipients of a complaint': (size) => inFeedback('').padEnd(size, 'Original-Rcpt-To: a@b.c\n'),
  'recipients of a complaint in one field': (size) => inFeedback('Original-Rcpt-To: ').padEnd(size, 'a@b.c,'),
  'a boundary of dashes': (size) => `Content-Type: multipart/x; boundary="${dashes}"\n\n`.padEnd(size, '-'),
  'lines that are almost a boundary': (size) =>
    `Content-Type: multipart/x; boundary="${dashes}"\n\n`.padEnd(size, `--${dashes}-\n`),
  'the line before a copy, without end': (size) =>
    `${`X-Failed-Recipients: a@b.c\n\n${eximBreak}`.padEnd(size - 1, '-')}x`,
  'the line before a copy, again and again': (size) =>
    'X-Failed-Recipients: a@b.c\n\n'.padEnd(size, `${eximBreak.padEnd(140, '-')}x\n`),
  'encoded characters': (size) => 'Content-Transfer-Encoding: quoted-printable\n\n'.padEnd(size, '=41'),
  'words in many charsets': (size) => inReturned('Subject: '.padEnd(size / 3, '=?koi8-r?q?a?= =?iso-8859-2?q?a?= ')),
  'words in charsets that do not exist': (size) => inReturned('Subject: '.padEnd(size / 3, '=?none?q?a?=.')),
  'an address of nothing but @': (size) => inReturned('From: <'.padEnd(size / 3, '@')),
  'an address without @': (size) => inReturned('From: '.padEnd(size / 3, 'a')),
  'lines of white space': (size) => inStatus('').padEnd(size, ' \n'),
  'fields without a value': (size) => inStatus('').padEnd(size, 'a:\n'),
  'blocks about nobody': (size) => inStatus('').padEnd(size, 'Status: 5.1.1\n\n'),
  'statements of failure': (size) => inWords('').padEnd(size, 'could not be delivered '),
  'beginnings of statements': (size) => inWords('').padEnd(size, 'konnte konnte nicht konnte '),
  'beginnings of many statements': (size) =>
    inWords('').padEnd(size, 'delivery to has not been will keep no se ha podido return was user address is '),
  'codes that are not replies': (size) => inWords('').padEnd(size, ': 550 bytes, '),
  'replies in lines': (size) => inWords('').padEnd(size, '550-5.1.1 a\n'),
  'empty paragraphs': (size) => inWords('').padEnd(size, 'a:\n\n'),
  'lines of dashes before a copy': (size) => inWords('').padEnd(size, `${'-'.repeat(79)}x\n`),
  'beginnings of quotes': (size) => inWords('').padEnd(size, 'On aaaaaa wrote wrote wrote '),
  'tags in a text in HTML': (size) => inWords('', 'text/html').padEnd(size, '<p>a</p>'),
  'styles in a text in HTML': (size) => inWords('', 'text/html').padEnd(size, '<style>a</style'),
  'open tags in a text in HTML': (size) => inWords('', 'text/html').padEnd(size, '<'),
  'entities in a text in HTML': (size) => inWords('', 'text/html').padEnd(size, '&#x41;'),
  'characters that stand for many': (size) => inWords('', 'text/plain; charset=utf-8').padEnd(size, '\xef\xb7\xba'),
  'a charset with escape sequences': (size) =>
    inWords('', 'text/plain; charset=iso-2022-jp').padEnd(size, '\x1b$B$\x1b(B'),
  'a charset of two bytes': (size) => inWords('', 'text/plain; charset=utf-16le').padEnd(size, 'a\0'),
  'words at every level of nesting': (size) => nested(9, ''.padEnd(size / 10, 'was not delivered to ')),
  'a subject of statements': (size) => `From: MAILER-DAEMON@b.c\nSubject: ${''.padEnd(size / 5, 'delivery not ')}\n\nx`,
  'a subject in many charsets': (size) =>
    `From: MAILER-DAEMON@b.c\nSubject: ${''.padEnd(size / 5, '=?koi8-r?q?a?= =?iso-8859-2?q?a?= ')}\n\nx`,
  'a sender of many names': (size) => `From: ${''.padEnd(size / 5, 'mail delivery "a" <')}\nSubject: a\n\nx`,
  'recipients without a reason, and words that are almost one': (size) =>
    `Content-Type: multipart/report; boundary=b\n\n--b\n\na@b.c ${'user address account name is no '.repeat(250)}\n--b\nContent-Type: message/delivery-status\n\n`.padEnd(
      Math.min(size, 17_000),
      'Final-Recipient: rfc822; a@b.c\nAction: failed\nStatus: 5.0.0\n\n',
    ),
  'recipients in free text': (size) =>
    inWords('').padEnd(size, 'a@b.c: user address account is no\nb@b.c: mailbox is\n'),
  'addresses in words': (size) => inWords('').padEnd(size, 'a@b.c '),
}

function read(message: Uint8Array): void {
  try {
    readReport(message)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Microseconds of processor time for one message. */
function costOf(text: string): number {
  const message = Buffer.from(text, 'latin1')
  const ofFour = leastOf(ROUNDS, () => {
    for (let times = 0; times < 4; times++) read(message)
  })
  return ofFour / 4
}

describe('a hostile message costs about as much as its size', () => {
  const yardstick = costOf(ordinary)
  for (const [name, write] of Object.entries(attacks)) {
    test(name, (context) => {
      let half = costOf(write(SIZE / 2))
      let whole = costOf(write(SIZE))
      const isSteep = () => whole > Math.max(half, yardstick) * GROWTH_MAX
      // What others do on the machine can make either dearer, but not every time.
      for (let looks = 1; isSteep() && looks < LOOKS_MAX; looks++) {
        half = Math.min(half, costOf(write(SIZE / 2)))
        whole = Math.min(whole, costOf(write(SIZE)))
      }
      context.diagnostic(`${half} µs, ${whole} µs; ordinary: ${yardstick} µs`)
      assert.ok(whole <= yardstick * RATIO_MAX, `${whole} µs, an ordinary one ${yardstick} µs`)
      // Below the yardstick the clock is too coarse for a ratio.
      assert.ok(!isSteep(), `${whole} µs, half of it ${half} µs`)
    })
  }
})

test('a wording that is repeated 100,000 times is judged like one', () => {
  const words = 'Your message could not be delivered: user unknown.\n'
  const report = readReport(Buffer.from(inWords(words.repeat(100_000))))
  assert.equal(report.kind, 'delivery')
  const [outcome] = report.outcomes
  assert.equal(outcome?.action, 'failed')
  assert.ok((outcome?.text?.length ?? 0) <= 1000)
})

test('a report with too many recipients or fields is known as what it is, with the reason', () => {
  const excessOf = (text: string) => {
    const { kind, excess } = readReport(Buffer.from(text))
    return `${kind}: ${excess}`
  }
  const recipients = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, n) => line(n))
  const named = recipients(51, (n) => `Original-Rcpt-To: a${n}@b.c\n`).join('')
  assert.equal(excessOf(inFeedback(named)), 'feedback: the report names more than 50 recipients')
  assert.equal(excessOf(inFeedback(named.replace(/^.*\n/, ''))), 'feedback: undefined')
  const failed = recipients(201, (n) => `Final-Recipient: rfc822;a${n}@b.c\nAction: failed\n\n`).join('')
  assert.equal(excessOf(inStatus(failed)), 'delivery: the report names more than 200 recipients')
  assert.equal(excessOf(inStatus('Status: 5.0.0\n'.repeat(5001))), 'delivery: the report has more than 5000 fields')
})
