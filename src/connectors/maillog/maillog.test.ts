import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKnowledge } from '../knowledge.ts'
import { createMaillog } from './maillog.ts'

const maillog = createMaillog(createKnowledge())

function eventOf(event: object): Record<string, unknown> {
  const [told] = maillog.toEvents({ sender_domains: ['acme.test'], event })
  return told?.event as Record<string, unknown>
}

test('a failure without a class and a host without a provider get theirs from the tables', () => {
  const failure = {
    type: 'Bounce',
    response_code: 550,
    response_enhanced_code: '5.1.1',
    response_content: 'User unknown',
    peer_name: 'mx00.gmx.net',
  }
  assert.deepEqual(eventOf(failure), { ...failure, bounce_classification: 'InvalidRecipient', provider_name: 'GMX' })
  const told = { ...failure, bounce_classification: 'Own', provider_name: 'Own' }
  assert.deepEqual(eventOf(told), told)
  assert.deepEqual(eventOf({ type: 'Delivery', response_code: 250 }), { type: 'Delivery', response_code: 250 })
  assert.deepEqual(eventOf({ type: 'Delayed', response_code: 400 }), { type: 'Delayed', response_code: 400 })
})

test('the names of the sender domain are handed on, and what to do where none is known', () => {
  const record = { sender_domains: ['a.test', 7, 'b.test'], event: {} }
  assert.deepEqual(maillog.toEvents(record), [{ event: {}, senderDomains: ['a.test', 'b.test'], ifUnknown: 'reject' }])
  const skipped = maillog.toEvents({ ...record, if_unknown: 'skip' })
  assert.equal(skipped[0]?.ifUnknown, 'skip')
})

test('a report is told as one, and a line that was not understood is refused with its reason', () => {
  const record = { sender_domains: ['a.test'], event: {} }
  assert.equal(maillog.toEvents({ ...record, is_report: true })[0]?.isReport, true)
  assert.throws(() => maillog.toEvents({ ...record, problem: 'it has 3 values', line: 'd,x,y' }), {
    code: 'invalid_payload',
    message: 'it has 3 values',
  })
})

test('what has another form is refused', () => {
  for (const record of [
    null,
    [],
    'x',
    {},
    { event: {} },
    { event: [], sender_domains: [] },
    { event: {}, sender_domains: 'x' },
  ])
    assert.throws(() => maillog.toEvents(record), { code: 'invalid_payload' })
})
