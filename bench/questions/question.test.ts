import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { type Question, requireSameAnswer } from './question.ts'

const question: Question = { kind: 'message', domains: ['a.example'], messageId: '1' }
const first: EmailEvent = {
  id: '1',
  timestamp: 2,
  type: 'Delivery',
  domain_name: 'a.example',
  recipient: 'b@c.example',
}
const second: EmailEvent = { ...first, timestamp: 1, type: 'Reception' }
const answer = { events: [first, second] }

describe('two answers', () => {
  test('are the same whatever the order of fields', () => {
    const { id, ...rest } = first
    requireSameAnswer('message_id', question, answer, { ...answer, events: [{ ...rest, id }, second] })
  })

  test('are the same whatever the form of the cursors', () => {
    requireSameAnswer('message_id', question, { ...answer, next: 'ours' }, { ...answer, next: 'theirs' })
  })

  test('differ when the order of events does, an event is missing, a field differs, or one side has more', () => {
    const others = [
      { ...answer, events: [second, first] },
      { ...answer, events: [first] },
      { ...answer, events: [{ ...first, response_enhanced_code: '' }, second] },
      { ...answer, next: 'cursor' },
    ]
    for (const other of others) {
      assert.throws(() => requireSameAnswer('message_id', question, answer, other), /message_id: the two sides/)
      assert.throws(() => requireSameAnswer('message_id', question, other, answer), /message_id: the two sides/)
    }
  })
})
