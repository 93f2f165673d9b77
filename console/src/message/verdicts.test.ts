import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message, TimelineEvent } from '../../../src/http/v1/log/messages.wire.ts'
import { formatFull } from '../kit/text/format.ts'
import { listVerdicts, nextAttemptOf, sameAnswer, writeAnswer } from './verdicts.ts'

const T = 1_790_000_000
function step(type: TimelineEvent['type'], recipient: string, more: Partial<TimelineEvent> = {}): TimelineEvent {
  const added = { explanation: `${type}.`, actor: 'nobody', sincePreviousMs: null, attempt: null } as const
  return { id: 'm', timestamp: T, type, domain_name: 'a.test', recipient, ...added, ...more } as TimelineEvent
}
const messageOf = (events: readonly TimelineEvent[]) => ({ subject: 'Hello', events }) as Message

test('each recipient has one verdict, trouble first; a late record of an early attempt does not change it', () => {
  const message = messageOf([
    step('Reception', 'x@b.test'),
    step('Delivery', 'x@b.test'),
    step('TransientFailure', 'x@b.test'),
    step('TransientFailure', 'y@b.test', { explanation: 'first' }),
    step('TransientFailure', 'y@b.test', { explanation: 'second' }),
    step('Delayed', 'y@b.test'),
    step('Delivery', 'z@b.test'),
    step('OOBBounce', 'z@b.test'),
    step('Opened', 'z@b.test'),
  ])
  assert.deepEqual(
    listVerdicts(message).map(({ headline, event }) => [event.recipient, headline, event.explanation]),
    [
      ['y@b.test', 'Not delivered yet', 'second'],
      ['z@b.test', 'Came back after delivery', 'OOBBounce.'],
      ['x@b.test', 'Delivered', 'Delivery.'],
    ],
  )
})

test('the next attempt is that of the recipient, and only while it lies ahead', () => {
  const events = [
    step('TransientFailure', 'x@b.test', { next_attempt: T + 60 }),
    step('Delayed', 'x@b.test', { next_attempt: T + 300 }),
    step('TransientFailure', 'y@b.test', { next_attempt: T + 900 }),
  ]
  const [verdict] = listVerdicts({ events })
  assert(verdict)
  assert.equal(nextAttemptOf({ events }, verdict, T * 1000), (T + 300) * 1000)
  assert.equal(nextAttemptOf({ events }, verdict, (T + 300) * 1000), undefined)
})

test('the same answer is searched for by what is known of it', () => {
  const known = { response_code: 550, provider_name: 'Yahoo', bounce_classification: 'SpamBlock' } as const
  const filtersOf = (event: TimelineEvent) => listVerdicts({ events: [event] }).map(sameAnswer)
  assert.deepEqual(filtersOf(step('Bounce', 'x@b.test', known)), [
    { type: ['Bounce'], code: ['550'], provider: ['Yahoo'], classification: ['SpamBlock'] },
  ])
  assert.deepEqual(filtersOf(step('Feedback', 'x@b.test')), [{ type: ['Feedback'] }])
})

test('an answer to copy says which message, what happened and what the server answered', () => {
  const events = [
    step('Bounce', 'x@b.test', {
      explanation: 'Permanently failed: the mailbox is full. The recipient has to make room in the mailbox.',
      response_code: 552,
      response_enhanced_code: '5.2.2',
      response_content: 'over quota',
      peer_name: 'mx.b.test',
    }),
  ]
  const [verdict] = listVerdicts({ events })
  assert(verdict)
  assert.equal(
    writeAnswer(messageOf(events), verdict),
    [
      `Not delivered: the message “Hello” to x@b.test of ${formatFull(T * 1000)}.`,
      'Permanently failed: the mailbox is full. The recipient has to make room in the mailbox.',
      'Response of the server mx.b.test: 552 5.2.2 over quota',
    ].join('\n'),
  )
})
