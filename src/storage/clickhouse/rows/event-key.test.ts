import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent } from '../../../events/event.ts'
import { eventKey } from './event-key.ts'

const EVENT: EmailEvent = {
  id: 'm1',
  timestamp: 1_772_366_400,
  type: 'Bounce',
  domain_name: 'a.test',
  recipient: 'u@b.test',
}

test('keys are stored: they stay the same in all versions', () => {
  const whole = { ...EVENT, sender: 's@a.test', subject: 'Hello', response_code: 550, response_content: 'no', size: 5 }
  assert.equal(eventKey(7, 0, EVENT, '', ''), 569485894936120216n)
  assert.equal(eventKey(7, 0, { ...whole, service_message_id: 'x' }, ',"c":1', ',"m":2'), 10727272211062942832n)
})

test('events that differ in anything have different keys, a field that is missing and an empty one included', () => {
  const variants: readonly Partial<EmailEvent>[] = [
    {},
    { id: 'm' },
    { id: 'm1u', recipient: '@b.test' },
    { timestamp: EVENT.timestamp + 1 },
    { sender: '' },
    { sender: 'a' },
    { subject: '' },
    { subject: 'a' },
    { response_content: '' },
    { response_content: 'a' },
    { service_message_id: '' },
    { service_message_id: 'a' },
    { response_code: 5 },
    { size: 5 },
  ]
  const keys = [
    ...variants.map((fields) => eventKey(7, 0, { ...EVENT, ...fields }, '', '')),
    eventKey(8, 0, EVENT, '', ''),
    eventKey(7, 1, EVENT, '', ''),
    eventKey(7, 0, EVENT, ',"a":1', ''),
    eventKey(7, 0, EVENT, '', ',"b":1'),
  ]
  assert.equal(new Set(keys).size, keys.length)
})
