import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent } from '../../../events/event.ts'
import { toEventRow } from '../writing/event-row.ts'
import { countCharacters } from './row-text.ts'

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
