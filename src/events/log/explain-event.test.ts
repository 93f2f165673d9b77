import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BOUNCE_CLASSES, UNCATEGORIZED } from '../../classification/bounce-classes.ts'
import { EVENT_TYPES } from '../event.ts'
import { explainEvent, REASON_OF_CLASS } from './explain-event.ts'

test('every class but Uncategorized has a reason', () => {
  const classes = Object.keys(BOUNCE_CLASSES).filter((name) => name !== UNCATEGORIZED)
  assert.deepEqual(Object.keys(REASON_OF_CLASS).toSorted(), classes.toSorted())
})

test('the class comes before the enhanced code, and that before the three digits', () => {
  const bounce = { type: 'Bounce', response_code: 550 } as const
  const words = [
    explainEvent(bounce),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2', bounce_classification: 'SpamBlock' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.2.2', bounce_classification: 'Uncategorized' }),
    explainEvent({ ...bounce, response_enhanced_code: '5.99.99', bounce_classification: 'constructor' }),
  ]
  assert.deepEqual(words, [
    'Permanently failed: the mailbox does not exist, or the receiver blocks the message.',
    'Permanently failed: the mailbox is full.',
    'Permanently failed: the receiver blocks the sender as a source of spam.',
    'Permanently failed: the mailbox is full.',
    'Permanently failed: the mailbox does not exist, or the receiver blocks the message.',
  ])
})

test('the explanation says whether there will be another attempt', () => {
  assert.match(
    explainEvent({ type: 'TransientFailure', response_code: 451 }),
    /try again later.*It will be retried automatically\.$/,
  )
  assert.match(explainEvent({ type: 'Delayed', response_code: 400 }), /next attempt\.$/)
})

test('any event is explained in one or two whole sentences', () => {
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

test('an open or click by a machine is not attributed to the recipient', () => {
  for (const type of ['Opened', 'Click'] as const) {
    assert.match(explainEvent({ type }), /^The recipient /)
    assert.match(explainEvent({ type, machine: 'proxy' }), /^A machine /)
  }
})
