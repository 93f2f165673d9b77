import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EmailEvent, EVENT_TYPES } from '../events/event.ts'
import { generateEvents, generateMessages, type TrafficOptions } from './generate-events.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const OPTIONS: TrafficOptions = {
  seed: 7,
  profiles: DEMO_PROFILES,
  messages: 5000,
  startTimestamp: 1_760_000_000,
  endTimestamp: 1_760_000_000 + 15 * 86_400,
}
const events = [...generateEvents(OPTIONS)]

describe('generated traffic', () => {
  test('is equal for equal seeds and different for different ones', () => {
    assert.deepEqual([...generateEvents(OPTIONS)], events)
    assert.notDeepEqual([...generateEvents({ ...OPTIONS, seed: 8 })].slice(0, 10), events.slice(0, 10))
  })

  test('stays within its time window', () => {
    assert.ok(
      events.every((event) => event.timestamp >= OPTIONS.startTimestamp && event.timestamp <= OPTIONS.endTimestamp),
    )
  })

  test('has every event type and every one of the 23 fields', () => {
    assert.deepEqual(new Set(events.map((event) => event.type)), new Set(EVENT_TYPES))
    assert.equal(new Set(events.flatMap((event) => Object.keys(event))).size, 23)
  })

  test('contains no two equal events', () => {
    assert.equal(new Set(events.map((event) => JSON.stringify(event))).size, events.length)
  })

  test('fills every placeholder of a reply or subject', () => {
    for (const event of events) assert.doesNotMatch(JSON.stringify(event), /\{(id|host|recipient|ip|number|code)\}/)
  })
})

describe('a generated message', () => {
  const messages = [...generateMessages(OPTIONS)]

  test('starts with its Reception; all events have one id and are in order of time', () => {
    for (const message of messages) {
      assert.equal(message[0]?.type, 'Reception')
      assert.equal(new Set(message.map((event) => event.id)).size, 1)
      const times = message.map((event) => event.timestamp)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      )
    }
  })

  test('has exactly one Delivery or Bounce, and only a delivered one is opened, returned or complained about', () => {
    for (const message of messages) {
      const types = message.map((event) => event.type)
      const outcomes = types.filter((type) => type === 'Delivery' || type === 'Bounce')
      assert.equal(outcomes.length, 1)
      const after = types.slice(types.indexOf(outcomes[0] ?? 'Delivery') + 1)
      if (outcomes[0] === 'Bounce') assert.deepEqual(after, [])
      assert.ok(after.every((type) => ['Opened', 'Click', 'OOBBounce', 'Feedback'].includes(type)))
    }
  })

  test('has response codes that fit its types', () => {
    const classOf: Partial<Record<EmailEvent['type'], number>> = {
      Reception: 2,
      Delivery: 2,
      TransientFailure: 4,
      Bounce: 5,
      OOBBounce: 5,
    }
    for (const event of messages.flat()) {
      const expected = classOf[event.type]
      if (expected !== undefined) assert.equal(Math.floor((event.response_code ?? 0) / 100), expected, event.type)
      if (event.type === 'Delayed') assert.equal(event.response_code, 400)
    }
  })

  test('has a TLS version only if there was a connection', () => {
    for (const event of messages.flat()) {
      assert.equal(event.tls_protocol_version !== undefined, event.peer_name !== undefined)
    }
  })
})

test('an unhealthy sender bounces several times as often as a healthy one', () => {
  const rate = (domain: string) => {
    const own = events.filter((event) => event.domain_name === domain)
    return (
      own.filter((event) => event.type === 'Bounce').length / own.filter((event) => event.type === 'Reception').length
    )
  }
  assert.ok(rate('labs.acme.example') > 3 * rate('shop.acme.example'))
})
