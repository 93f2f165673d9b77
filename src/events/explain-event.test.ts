import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BOUNCE_CLASSES, UNCATEGORIZED } from '../classification/bounce-classes.ts'
import { EVENT_TYPES } from './event.ts'
import { explainEvent, REASON_OF_CLASS } from './explain-event.ts'

test('every class but that of what nobody knows has words', () => {
  const classes = Object.keys(BOUNCE_CLASSES).filter((name) => name !== UNCATEGORIZED)
  assert.deepEqual(Object.keys(REASON_OF_CLASS).toSorted(), classes.toSorted())
})

test('the class counts before the enhanced code, and that before the three digits', () => {
  const bounce = { type: 'Bounce', response_code: 550 } as const
  const words = [
    explainEvent(bounce),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2', bounce_classification: 'SpamBlock' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2', bounce_classification: 'Uncategorized' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.99.99', bounce_classification: 'constructor' }),
  ]
  assert.deepEqual(words, [
    'Not delivered for good: the mailbox does not exist, or the receiver blocks the message.',
    'Not delivered for good: the mailbox is full.',
    'Not delivered for good: the receiver blocks the sender as a source of spam.',
    'Not delivered for good: the mailbox is full.',
    'Not delivered for good: the mailbox does not exist, or the receiver blocks the message.',
  ])
})

test('whether it is tried again is said', () => {
  assert.match(
    explainEvent({ type: 'TransientFailure', response_code: 451 }),
    /come back later.*tried again by itself\.$/,
  )
  assert.match(explainEvent({ type: 'Delayed', response_code: 400 }), /next attempt\.$/)
})

test('whatever an event says, it gets one or two whole sentences', () => {
  const event = fc.record(
    {
      type: fc.constantFrom(...EVENT_TYPES),
      response_code: fc.nat(999),
      response_enhanced_code: fc.oneof(fc.string(), fc.constantFrom('4.7.1', '5.1.1', '', '5.1')),
      bounce_classification: fc.oneof(fc.string(), fc.constantFrom(...Object.keys(BOUNCE_CLASSES))),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(fc.property(event, (fields) => assert.match(explainEvent(fields), /^[A-Z][^\n]{10,200}\.$/)))
})

test('what a machine did is not told of the recipient', () => {
  for (const type of ['Opened', 'Click'] as const) {
    assert.match(explainEvent({ type }), /^The recipient /)
    assert.match(explainEvent({ type, machine: 'proxy' }), /^A machine /)
  }
})
