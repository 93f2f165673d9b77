/** The processor time of a hostile message, relative to an ordinary one of the same size, and to one of half its size. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { readReport } from './read-report.ts'

const SIZE = 262_144
/** The worst that a message is found to cost is about 15 times an ordinary one. */
const RATIO_MAX = 60
/** Linear is 2, quadratic 4. */
const GROWTH_MAX = 3
const ROUNDS = 7

const part = (type: string, text: string) =>
  `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: ${type}\n\n${text}`
const inStatus = (fields: string) => part('message/delivery-status', fields)
const inFeedback = (fields: string) => part('message/feedback-report', fields)
const inReturned = (headers: string) =>
  `${inFeedback('Feedback-Type: abuse')}\n--b\nContent-Type: text/rfc822-headers\n\n${headers}`

const ordinary = inStatus(
  'Final-Recipient: rfc822;a@b.c\nAction: failed\nStatus: 5.1.1\n\n--b\nContent-Type: message/rfc822\n\nFrom: a@b.c\n\n',
).padEnd(SIZE, 'These are the words of a letter that came back.\n')

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
}

function read(message: Uint8Array): void {
  try {
    readReport(message)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Microseconds of processor time for one message, the least of several rounds. */
function costOf(text: string): number {
  const message = Buffer.from(text, 'latin1')
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = cpuTime()
    for (let times = 0; times < 4; times++) read(message)
    least = Math.min(least, (cpuTime() - before) / 4)
  }
  return least
}

/** Both kinds: which of them a moment is counted for is only sampled. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

describe('a hostile message costs about as much as its size', () => {
  const yardstick = costOf(ordinary)
  for (const [name, write] of Object.entries(attacks)) {
    test(name, (context) => {
      const half = costOf(write(SIZE / 2))
      const whole = costOf(write(SIZE))
      context.diagnostic(`${half} µs, ${whole} µs; ordinary: ${yardstick} µs`)
      assert.ok(whole <= yardstick * RATIO_MAX, `${whole} µs, an ordinary one ${yardstick} µs`)
      // Below the yardstick the clock is too coarse for a ratio.
      assert.ok(whole <= Math.max(half, yardstick) * GROWTH_MAX, `${whole} µs, half of it ${half} µs`)
    })
  }
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
