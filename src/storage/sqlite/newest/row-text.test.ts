import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import { toEventRow } from '../writing/event-row.ts'
import { countCharacters, toRowText } from './row-text.ts'

const EVENT: EmailEvent = {
  id: 'm1',
  timestamp: 1_772_366_400,
  type: 'Bounce',
  domain_name: 'a.test',
  recipient: 'u@b.test',
}

test('every character of a text of the row is counted, and a text that is missing as none', () => {
  const row = toEventRow({ domainNumber: 1, event: EVENT })
  const plain = countCharacters(row)
  const texts = {
    id: 'm1-and-more',
    recipient: 'somebody@b.test',
    provider: 'A provider',
    classification: 'bad-mailbox',
    content: 'no such user',
    circumstance: ',"a":1',
    mailing: ',"b":2',
    origin: 'an origin',
    sender: 'sender@a.test',
    from: 'From <from@a.test>',
    subject: 'A subject',
    serviceMessageId: 'service-1',
  } as const
  for (const [field, text] of Object.entries(texts) as [keyof typeof texts, string][]) {
    assert.equal(countCharacters({ ...row, [field]: text }) - plain, text.length - (row[field]?.length ?? 0), field)
  }
  assert.ok(plain > 0)
})

test('a text has the members that the event has, and those that the reader may see', () => {
  const members = {
    sender: 's@a.test',
    subject: 'A "subject"',
    response_code: 550,
    response_content: 'no\nsuch user',
    service_message_id: 's-1',
    size: 1234,
  }
  const extension: EventExtension = {
    next_attempt: EVENT.timestamp + 60,
    sending_address: '192.0.2.1',
    sending_pool: 'p',
  }
  const read = (event: EmailEvent, shown: 'interface' | 'attempts' | 'sending', more?: EventExtension) => {
    const row = toEventRow({ domainNumber: 1, event, ...(more && { extension: more }) })
    return JSON.parse(toRowText(row, event.timestamp, event.domain_name, shown, 'service_message_id')) as unknown
  }
  for (const shown of ['interface', 'attempts', 'sending'] as const) assert.deepEqual(read(EVENT, shown), EVENT)
  for (const [name, value] of Object.entries(members)) {
    const event = { ...EVENT, [name]: value }
    assert.deepEqual(read(event, 'interface'), event)
  }
  const attempts = { ...EVENT, next_attempt: EVENT.timestamp + 60 }
  assert.deepEqual(read(EVENT, 'interface', extension), EVENT)
  assert.deepEqual(read(EVENT, 'attempts', extension), attempts)
  assert.deepEqual(read(EVENT, 'sending', extension), { ...attempts, sending_address: '192.0.2.1', sending_pool: 'p' })
})

test('texts of which it is known that nothing needs to be escaped are written as they are', () => {
  const row = { ...toEventRow({ domainNumber: 1, event: EVENT }), sender: '"' }
  const write = (plain: 0 | 1 | 2) => toRowText({ ...row, plain }, 0, 'a.test', 'interface', 'x')
  for (const plain of [0, 1] as const) assert.match(write(plain), /"sender":"\\""/)
  assert.match(write(2), /"sender":"""/)
})
