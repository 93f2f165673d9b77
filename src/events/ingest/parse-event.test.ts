import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { isEventId, parseEvent } from './parse-event.ts'

const VALID = { id: 'm1', timestamp: 1_772_323_200, type: 'Delivery', domain_name: 'a.test', recipient: 'u@b.test' }

function problemOf(record: unknown): string {
  try {
    parseEvent(record, 'acme_message_id')
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return error.message
    throw error
  }
  return 'none'
}

test('each required field is required', () => {
  for (const field of Object.keys(VALID)) {
    const rest = Object.fromEntries(Object.entries(VALID).filter(([name]) => name !== field))
    assert.equal(problemOf(rest), `${field}: is required`)
  }
})

test('an id is recognized by itself', () => {
  assert.equal(isEventId('m1'), true)
  for (const text of ['', 'a\nb', 'x'.repeat(256)]) assert.equal(isEventId(text), false)
})

describe('an event is refused', () => {
  const cases: readonly [string, unknown, RegExp][] = [
    ['that is not an object', [VALID], /must be a JSON object/],
    ['that is null', null, /must be a JSON object/],
    [
      'without its required fields, naming all of them',
      {},
      /id: is required; timestamp: .*type: .*domain_name: .*recipient: is required/,
    ],
    ['whose required field is null', { ...VALID, id: null }, /^id: must be a string, not null$/],
    ['with an empty id', { ...VALID, id: '' }, /^id: must not be empty$/],
    ['with a line break in its id', { ...VALID, id: 'a\nb' }, /^id: must not contain control characters$/],
    [
      'with an id of 256 characters',
      { ...VALID, id: 'x'.repeat(256) },
      /^id: must be at most 255 characters, has 256$/,
    ],
    ['with a time as text', { ...VALID, timestamp: '1772323200' }, /^timestamp: must be an integer, not a string$/],
    ['with half a second', { ...VALID, timestamp: 1.5 }, /^timestamp: must be an integer$/],
    ['with a time before 1970', { ...VALID, timestamp: -1 }, /^timestamp: must be between 0 and/],
    ['with infinite time', { ...VALID, timestamp: Number.POSITIVE_INFINITY }, /^timestamp: must be an integer$/],
    ['with milliseconds', { ...VALID, timestamp: 1_772_323_200_000 }, /looks like milliseconds/],
    ['of another type', { ...VALID, type: 'delivery' }, /^type: must be one of Reception, Delivery,/],
    [
      'with a recipient that is not an address',
      { ...VALID, recipient: 'postmaster' },
      /^recipient: must be an email address$/,
    ],
    [
      'with an address list as recipient',
      { ...VALID, recipient: ['u@b.test'] },
      /^recipient: must be a string, not an array$/,
    ],
    ['with a code as text', { ...VALID, response_code: '250' }, /^response_code: must be an integer, not a string$/],
    ['with a code out of range', { ...VALID, response_code: 1000 }, /^response_code: must be between 0 and 999$/],
    ['with half a character', { ...VALID, subject: '\ud800' }, /^subject: contains an unpaired surrogate$/],
    ['with an unknown field', { ...VALID, respone_code: 250 }, /^"respone_code": unknown field$/],
    ['with a field named like a part of JavaScript', JSON.parse('{"__proto__":1}'), /"__proto__": unknown field/],
    [
      'with the same field under both names',
      { ...VALID, service_message_id: 'a', acme_message_id: 'b' },
      /acme_message_id: given twice/,
    ],
    ['with several faults, naming each', { ...VALID, id: 1, size: 'x' }, /^id: .*; size: /],
  ]
  for (const [name, record, expected] of cases) {
    test(name, () => assert.match(problemOf(record), expected))
  }
})

test('null means absent, except for a campaign', () => {
  const event = parseEvent({ ...VALID, subject: null, campaign: null }, 'service_message_id')
  assert.deepEqual(event, { ...VALID, campaign: null })
})

test('the branded and the plain name of service_message_id mean the same', () => {
  assert.equal(parseEvent({ ...VALID, acme_message_id: 'x' }, 'acme_message_id').service_message_id, 'x')
  assert.equal(parseEvent({ ...VALID, service_message_id: 'x' }, 'acme_message_id').service_message_id, 'x')
})

test('an empty envelope sender, as bounces have, is stored', () => {
  assert.equal(parseEvent({ ...VALID, sender: '' }, 'service_message_id').sender, '')
})

test('a name from outside appears shortened in the answer', () => {
  assert.ok(problemOf({ ...VALID, ['x'.repeat(100_000)]: 1 }).length < 200)
})

test('an event that needs no change is not copied', () => {
  const event = { ...VALID, subject: 'x' }
  assert.equal(parseEvent(event, 'service_message_id'), event)
})

describe('the largest value of a field is accepted and the next one refused', () => {
  const isAccepted = (changes: object) => problemOf({ ...VALID, ...changes }) === 'none'

  for (const [field, lengthMax] of [
    ['id', 255],
    ['domain_name', 1024],
    ['sender', 1024],
    ['from', 65_536],
    ['subject', 65_536],
    ['response_content', 65_536],
    ['response_enhanced_code', 1024],
    ['provider_name', 1024],
    ['peer_name', 1024],
    ['bounce_classification', 1024],
    ['service_message_id', 1024],
    ['direction', 1024],
    ['campaign', 1024],
    ['reception_protocol', 1024],
    ['delivery_protocol', 1024],
    ['tls_protocol_version', 1024],
    ['tls_cipher', 1024],
  ] as const) {
    test(`${field}: ${lengthMax} characters`, () => {
      assert.equal(isAccepted({ [field]: 'x'.repeat(lengthMax) }), true)
      assert.equal(isAccepted({ [field]: 'x'.repeat(lengthMax + 1) }), false)
    })
  }

  test('recipient: 1024 characters, with both parts of an address', () => {
    assert.equal(isAccepted({ recipient: `${'x'.repeat(1022)}@b` }), true)
    assert.equal(isAccepted({ recipient: `${'x'.repeat(1023)}@b` }), false)
    for (const recipient of ['@b', 'a@', '@']) assert.equal(isAccepted({ recipient }), false, recipient)
  })

  for (const [field, max] of [
    ['timestamp', 99_999_999_999],
    ['response_code', 999],
    ['num_attempts', 2_147_483_647],
    ['size', Number.MAX_SAFE_INTEGER],
  ] as const) {
    test(`${field}: ${max}`, () => {
      for (const value of [0, max]) assert.equal(isAccepted({ [field]: value }), true, String(value))
      for (const value of [-1, max + 1]) assert.equal(isAccepted({ [field]: value }), false, String(value))
    })
  }
})
