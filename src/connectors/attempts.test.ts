import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { generateMessage } from '../demo/generate-message.ts'
import { DEMO_PROFILES } from '../demo/sender-profile.ts'
import { createSeededRandom } from '../lib/seeded-random.ts'
import { LOG_DIALECTS, LOG_READERS, type LogDialect } from './log-readers.ts'
import { CONNECTOR_NAMES, createConnectors } from './registry.ts'

/** Type and `num_attempts` of each event but the Reception. */
type Story = readonly (readonly [type: string, attempts: number])[]

/** Two attempts fail and the third succeeds; between the first two, the message is once deferred without an attempt. */
const DELIVERED: Story = [
  ['TransientFailure', 1],
  ['Delayed', 1],
  ['TransientFailure', 2],
  ['Delivery', 3],
]
/** The mail server gives up without another attempt. */
const GIVEN_UP: Story = [
  ['TransientFailure', 1],
  ['Bounce', 1],
]
const REJECTED: Story = [['Bounce', 1]]

/** The records of a source for one message. */
type Records = readonly unknown[]

interface Source {
  readonly delivered: Records
  /** Absent if the last attempt is always one that fails. */
  readonly givenUp?: Records
  readonly rejected: Records
}

const connectors = createConnectors()

function sample(path: string): object {
  return JSON.parse(readFileSync(join(import.meta.dirname, path), 'utf8')) as object
}

const kumo = (type: string, attempts: number) => ({
  ...sample('kumomta/testdata/26-transient-failure.in.json'),
  type,
  num_attempts: attempts,
})
/** KumoMTA counts an attempt after it has written the record about it. */
const KUMOMTA: Source = {
  delivered: [
    kumo('Reception', 0),
    kumo('TransientFailure', 0),
    kumo('Delayed', 1),
    kumo('TransientFailure', 1),
    kumo('Delivery', 2),
  ],
  givenUp: [kumo('TransientFailure', 0), kumo('Expiration', 1)],
  rejected: [kumo('Bounce', 0)],
}

const hook = (name: string, attempt?: number) => ({
  ...sample('haraka/testdata/19-deferred-greylisted.in.json'),
  hook: name,
  attempt,
})
/** The plugin sends the number of the attempt that has begun. */
const HARAKA: Source = {
  delivered: [hook('queue_ok'), hook('deferred', 1), hook('delayed', 2), hook('deferred', 2), hook('delivered', 3)],
  rejected: [hook('bounce', 1)],
}

const read = (dialect: LogDialect, lines: readonly string[]): Records => {
  const reader = LOG_READERS[dialect]({ remembered: [], host: 'mail', nowMs: () => Date.UTC(2026, 10, 16) })
  return lines.flatMap((line) => reader.read(line))
}

const exim = (...lines: readonly string[]) =>
  read(
    'exim',
    ['<= news@acme.test P=esmtp S=1 for a@example.org', ...lines].map(
      (line) => `2026-11-15 06:34:50 +0000 1xSTpC-000007-2s ${line}`,
    ),
  )
const EXIM_DEFERRED = '== a@example.org R=r T=t defer (-44) H=mx [192.0.2.1]: SMTP error: 450 4.2.0 later'
const EXIM: Source = {
  delivered: exim(
    EXIM_DEFERRED,
    "== a@example.org R=r T=t defer (-54): retry time not reached for any host for 'example.org'",
    EXIM_DEFERRED,
    '=> a@example.org R=r T=t H=mx [192.0.2.1] C="250 Ok"',
  ),
  givenUp: exim(EXIM_DEFERRED, '** a@example.org: retry timeout exceeded'),
  rejected: exim('** a@example.org R=r T=t H=mx [192.0.2.1]: SMTP error: 550 5.1.1 no'),
}

const postfix = (...lines: readonly string[]) =>
  read(
    'postfix',
    [
      'smtpd[7]: 4jRxmD32Gqz2RHX8: client=app[192.0.2.7]',
      'cleanup[8]: 4jRxmD32Gqz2RHX8: message-id=<1@acme.test>',
      'qmgr[9]: 4jRxmD32Gqz2RHX8: from=<news@acme.test>, size=1, nrcpt=1 (queue active)',
      ...lines,
    ].map((line) => `2026-11-15T06:34:50.000000+00:00 mail postfix/${line}`),
  )
const postfixOutcome = (relay: string, status: string) =>
  `smtp[10]: 4jRxmD32Gqz2RHX8: to=<a@example.org>, relay=${relay}, delay=1, delays=0/0/0/1, dsn=4.0.0, status=${status}`
const POSTFIX_DEFERRED = postfixOutcome('mx[192.0.2.1]:25', 'deferred (host mx[192.0.2.1] said: 450 4.2.0 later)')
const POSTFIX: Source = {
  delivered: postfix(
    POSTFIX_DEFERRED,
    postfixOutcome('none', 'deferred (delivery temporarily suspended: connect to mx[192.0.2.1]:25: refused)'),
    POSTFIX_DEFERRED,
    postfixOutcome('mx[192.0.2.1]:25', 'sent (250 2.0.0 Ok)'),
  ),
  givenUp: postfix(
    POSTFIX_DEFERRED,
    'qmgr[9]: 4jRxmD32Gqz2RHX8: from=<news@acme.test>, status=expired, returned to sender',
  ),
  rejected: postfix(postfixOutcome('mx[192.0.2.1]:25', 'bounced (host mx[192.0.2.1] said: 550 5.1.1 no)')),
}

/** By the connector that reads the records. */
const SOURCES: Readonly<Record<string, readonly [connector: string, Source]>> = {
  kumomta: ['kumomta', KUMOMTA],
  haraka: ['haraka', HARAKA],
  exim: ['maillog', EXIM],
  postfix: ['maillog', POSTFIX],
}

const CANNOT_TELL: Readonly<Record<string, string>> = {
  native: 'events are passed on as they are',
  tracking: 'opens and clicks are not attempts',
  maillog: 'the records of log readers, which count',
  powermta: 'not in its records',
}

function storyOf(connector: string, records: Records): Story {
  const reader = connectors.get(connector)
  const events = records.flatMap((record) => reader?.toEvents(JSON.parse(JSON.stringify(record))) ?? [])
  return events
    .map(({ event }) => event as { type: string; num_attempts: number })
    .filter(({ type }) => type !== 'Reception')
    .map(({ type, num_attempts }) => [type, num_attempts])
}

describe('num_attempts is the number of attempts made so far, this one included', () => {
  for (const [name, [connector, { delivered, givenUp, rejected }]] of Object.entries(SOURCES)) {
    test(name, () => {
      assert.deepEqual(storyOf(connector, delivered), DELIVERED)
      if (givenUp) assert.deepEqual(storyOf(connector, givenUp), GIVEN_UP)
      assert.deepEqual(storyOf(connector, rejected), REJECTED)
    })
  }

  test('of every source that can tell', () => {
    const known = [...Object.keys(SOURCES), ...Object.keys(CANNOT_TELL)]
    assert.deepEqual(known.toSorted(), [...CONNECTOR_NAMES, ...LOG_DIALECTS].toSorted())
  })

  test('and no attempt has been made at the reception', () => {
    for (const [connector, { delivered }] of Object.values(SOURCES)) {
      const [first] = connectors.get(connector)?.toEvents(JSON.parse(JSON.stringify(delivered[0]))) ?? []
      assert.partialDeepStrictEqual(first?.event, { type: 'Reception' })
      assert.ok(!((first?.event as { num_attempts?: number } | undefined)?.num_attempts ?? 0))
    }
  })
})

test('the generated traffic of the demo counts in the same way', () => {
  const [profile] = DEMO_PROFILES
  assert.ok(profile)
  const random = createSeededRandom(14)
  let retried = 0
  for (let n = 0; n < 2000; n++) {
    let attempts = 0
    for (const { type, num_attempts, bounce_classification } of generateMessage(random, profile, 1_794_700_800)) {
      const isAttempt = ['Delivery', 'TransientFailure', 'Bounce'].includes(type)
      // Given up without another attempt.
      if (isAttempt && !(type === 'Bounce' && bounce_classification === 'MessageExpired')) attempts += 1
      if (isAttempt || type === 'Delayed' || type === 'Reception') assert.equal(num_attempts, attempts, type)
    }
    if (attempts > 1) retried += 1
  }
  assert.ok(retried > 20, String(retried))
})
