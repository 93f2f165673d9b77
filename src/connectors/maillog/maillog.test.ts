import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKnowledge } from '../../classification/knowledge.ts'
import { createMaillog } from './maillog.ts'

const maillog = createMaillog(createKnowledge())

function eventOf(event: object): Record<string, unknown> {
  const [found] = maillog.toEvents({ sender_domains: ['acme.test'], event })
  return found?.event as Record<string, unknown>
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
  const complete = { ...failure, bounce_classification: 'Own', provider_name: 'Own' }
  assert.deepEqual(eventOf(complete), complete)
  assert.deepEqual(eventOf({ type: 'Delivery', response_code: 250 }), { type: 'Delivery', response_code: 250 })
  assert.deepEqual(eventOf({ type: 'Delayed', response_code: 400 }), { type: 'Delayed', response_code: 400 })
})

test('the candidates for the sender domain are passed on, and what to do if none is known', () => {
  const record = { sender_domains: ['a.test', 7, 'b.test'], event: {} }
  assert.deepEqual(maillog.toEvents(record), [{ event: {}, senderDomains: ['a.test', 'b.test'], ifUnknown: 'reject' }])
  const skipped = maillog.toEvents({ ...record, if_unknown: 'skip' })
  assert.equal(skipped[0]?.ifUnknown, 'skip')
})

test('a report is marked as one, and a line that could not be parsed is rejected with its reason', () => {
  const record = { sender_domains: ['a.test'], event: {} }
  assert.equal(maillog.toEvents({ ...record, is_report: true })[0]?.isReport, true)
  assert.throws(() => maillog.toEvents({ ...record, problem: 'it has 3 values', line: 'd,x,y' }), {
    code: 'invalid_payload',
    message: 'it has 3 values',
  })
})

test('records of another form are rejected', () => {
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
