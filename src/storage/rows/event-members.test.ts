import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent } from '../../events/event.ts'
import { findCircumstance, findMailing } from './event-members.ts'

const EVENT: EmailEvent = {
  id: 'm',
  timestamp: 1,
  type: 'Bounce',
  domain_name: 'a.test',
  recipient: 'u@b.test',
  from: 'f@a.test',
  direction: 'Outbound',
  campaign: 'c',
  reception_protocol: 'ESMTP',
  response_enhanced_code: '5.1.1',
  provider_name: 'Gmail',
  peer_name: 'mx.b.test',
  bounce_classification: 'Spam',
  num_attempts: 2,
  delivery_protocol: 'ESMTPS',
  tls_protocol_version: 'TLSv1.3',
  tls_cipher: 'AES',
} as EmailEvent

/** The event with another value of the field, and without one. */
function changesOf(name: string): readonly EmailEvent[] {
  const { [name as 'from']: _, ...without } = EVENT
  return [{ ...EVENT, [name]: name === 'num_attempts' ? 3 : 'other' } as EmailEvent, without as EmailEvent]
}

/** What the members say, as an object. */
function parse(members: string): unknown {
  return members === '' ? {} : JSON.parse(`{${members.slice(1)}}`)
}

for (const [name, find, fields] of [
  ['a mailing', findMailing, ['from', 'direction', 'campaign', 'reception_protocol']],
  [
    'a circumstance',
    findCircumstance,
    [
      'response_enhanced_code',
      'provider_name',
      'peer_name',
      'bounce_classification',
      'num_attempts',
      'delivery_protocol',
      'tls_protocol_version',
      'tls_cipher',
    ],
  ],
] as const) {
  const expectedOf = (event: EmailEvent) =>
    Object.fromEntries(fields.flatMap((field) => (event[field] === undefined ? [] : [[field, event[field]]])))

  test(`the members of ${name} are its fields in their order, which is part of keys`, () => {
    const members = fields.map((field) => `,${JSON.stringify(field)}:${JSON.stringify(EVENT[field])}`)
    assert.equal(find(EVENT), members.join(''))
    const { id, timestamp, type, domain_name, recipient } = EVENT
    assert.equal(find({ id, timestamp, type, domain_name, recipient }), '')
  })

  test(`the members of ${name} that were remembered are those of no other`, () => {
    for (const field of fields) {
      for (const changed of changesOf(field)) {
        // Whichever was first.
        for (const event of [EVENT, changed, EVENT, changed]) assert.deepEqual(parse(find(event)), expectedOf(event))
      }
    }
  })
}

test('what tracking adds is a part of the circumstance, and not remembered', () => {
  const plain = findCircumstance(EVENT)
  assert.equal(findCircumstance(EVENT, { url: 'https://a.test' }), `${plain},"url":"https://a.test"`)
  assert.equal(findCircumstance(EVENT, { machine: 'proxy' }), `${plain},"machine":"proxy"`)
  assert.equal(findCircumstance(EVENT, { sending_address: '192.0.2.1' }), plain)
  assert.equal(findCircumstance(EVENT), plain)
})

test('types are remembered apart from each other', () => {
  const other: EmailEvent = { ...EVENT, type: 'Delivery', provider_name: 'Yahoo' }
  for (const event of [EVENT, other, EVENT])
    assert.match(findCircumstance(event), new RegExp(event.provider_name ?? ''))
})
