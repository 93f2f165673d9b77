import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent, EventExtension } from '../../events/event.ts'
import type { LogFilters } from '../../events/log/log-query.ts'
import { matches } from './event-matching.ts'

const EVENT: EmailEvent = {
  id: 'm1',
  timestamp: 1,
  type: 'Bounce',
  domain_name: 'a.test',
  recipient: 'ann@b.test',
  subject: 'Your receipt',
  response_code: 550,
  response_content: 'mailbox full',
  provider_name: 'Gmail',
  bounce_classification: 'QuotaIssues',
}
const EXTENSION: EventExtension = { sending_address: '192.0.2.1', sending_source: 's1', sending_pool: 'p1' }

/** Two of each, of which the event has the second. */
const EITHER = {
  types: ['Delivery', 'Bounce'],
  codes: [
    { from: 200, to: 299 },
    { from: 550, to: 550 },
  ],
  providers: ['Outlook', 'Gmail'],
  classifications: ['SpamBlock', 'QuotaIssues'],
  sendingAddresses: ['192.0.2.9', '192.0.2.1'],
  sendingSources: ['s9', 's1'],
  sendingPools: ['p9', 'p1'],
  replies: ['other', 'mailbox full'],
} as const satisfies LogFilters

/** Both of them are in the event, or only the first. */
const EACH = {
  texts: [
    [
      { text: 'ANN', fields: ['recipient'] },
      { text: 'receipt', fields: ['sender', 'subject'] },
    ],
    [
      { text: 'ann', fields: ['recipient'] },
      { text: 'invoice', fields: ['subject'] },
    ],
  ],
  answers: [
    ['mailbox', 'FULL'],
    ['mailbox', 'unknown'],
  ],
} as const satisfies Record<string, readonly [LogFilters['texts'] | readonly string[], unknown]>

for (const [name, values] of Object.entries(EITHER)) {
  test(`${name}: one of them is enough, to be found and to be left out`, () => {
    assert.equal(matches(EVENT, { [name]: values }, EXTENSION), true)
    assert.equal(matches(EVENT, { [name]: values.slice(0, 1) }, EXTENSION), false)
    assert.equal(matches(EVENT, { without: { [name]: values } }, EXTENSION), false)
    assert.equal(matches(EVENT, { without: { [name]: values.slice(0, 1) } }, EXTENSION), true)
  })
}

for (const [name, [both, first]] of Object.entries(EACH)) {
  test(`${name}: each of them is needed to be found, and one is enough to be left out`, () => {
    assert.equal(matches(EVENT, { [name]: both }), true)
    assert.equal(matches(EVENT, { [name]: first }), false)
    assert.equal(matches(EVENT, { without: { [name]: first } }), false)
    assert.equal(matches(EVENT, { without: { [name]: first.slice(1) } }), true)
  })
}
