/** The demo shows only classes and replies that exist: each reply has the class that the classifier gives it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findContradictions } from '../../test/harness/explanations/contradictions.ts'
import { BOUNCE_CLASSES } from '../classification/bounce-classes.ts'
import { createBounceClassifier } from '../classification/classify-bounce.ts'
import { explainEvent } from '../events/log/explain-event.ts'
import { generateEvents } from './generate-events.ts'
import { originOf, THROTTLED_ADDRESS } from './origins.ts'
import { CONNECTION_FAILURES, PROVIDERS, type Reply } from './providers.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const classify = createBounceClassifier()

function check({ code, enhanced, text, classification }: Reply, firstDigit: number): void {
  const sample = text
    .replace('{id}', '0a1b2c3d4e5f.42')
    .replace('{host}', 'mx.example.com')
    .replace('{recipient}', 'anna.smith@example.com')
    .replaceAll('{ip}', '192.0.2.25')
  assert.ok(Object.hasOwn(BOUNCE_CLASSES, classification), classification)
  assert.equal(classify({ code, enhancedCode: enhanced, text: sample }), classification, text)
  assert.equal(Math.floor(code / 100), firstDigit, text)
  if (enhanced !== '') assert.match(enhanced, new RegExp(`^${firstDigit}\\.\\d+\\.\\d+$`), text)
}

test('every reply has the class that the classifier finds, and codes that agree', () => {
  for (const { deferrals, refusals, throttled } of PROVIDERS) {
    for (const reply of [...deferrals, ...(throttled ? [throttled] : [])]) check(reply, 4)
    for (const reply of refusals) check(reply, 5)
  }
  for (const reply of CONNECTION_FAILURES) check(reply, 4)
})

test('every generated event has a class that the classifier finds, and an explanation without contradictions', () => {
  const events = generateEvents({
    seed: 11,
    profiles: DEMO_PROFILES,
    messages: 4000,
    startTimestamp: 1_790_000_000,
    endTimestamp: 1_790_000_000 + 15 * 86_400,
  })
  let failures = 0
  for (const event of events) {
    const { text, actor } = explainEvent(event)
    assert.deepEqual(findContradictions(event, text, actor), [], JSON.stringify(event))
    const { bounce_classification: given, response_code: code, response_enhanced_code: enhancedCode } = event
    const isFailure = ['TransientFailure', 'Bounce', 'OOBBounce'].includes(event.type)
    assert.equal(given !== undefined, isFailure, event.type)
    if (!isFailure) continue
    failures++
    assert.equal(classify({ code, enhancedCode, text: event.response_content }), given)
  }
  assert.ok(failures > 300)
})

test('one address is deferred by one provider, while the others are fine', () => {
  const attempts = new Map<boolean, { deferred: number; all: number }>()
  const events = generateEvents({
    seed: 12,
    profiles: DEMO_PROFILES,
    messages: 6000,
    startTimestamp: 1_790_000_000,
    endTimestamp: 1_790_000_000 + 15 * 86_400,
  })
  for (const { id, type, provider_name: provider } of events) {
    if (provider !== 'Microsoft' || !['Delivery', 'TransientFailure'].includes(type)) continue
    const isThrottled = originOf(id).sending_address === THROTTLED_ADDRESS
    const counts = attempts.get(isThrottled) ?? { deferred: 0, all: 0 }
    attempts.set(isThrottled, { deferred: counts.deferred + Number(type !== 'Delivery'), all: counts.all + 1 })
  }
  const share = (isThrottled: boolean) => {
    const { deferred, all } = attempts.get(isThrottled) ?? { deferred: 0, all: 0 }
    assert.ok(all > 100)
    return deferred / all
  }
  assert.ok(share(true) > 3 * share(false))
})
