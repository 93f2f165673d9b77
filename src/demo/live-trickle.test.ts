import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { AttributedEvent } from '../events/log/event-log.ts'
import { AppError } from '../lib/app-error.ts'
import { startLiveTrickle } from './live-trickle.ts'
import { DEMO_PROFILES } from './sender-profile.ts'

const DOMAINS = DEMO_PROFILES.map(({ domainName }, index) => ({ name: domainName, number: index + 1 }))
const NOW_MS = Date.UTC(2026, 4, 20, 12)

test('events that cannot be stored at the moment are sent again, and the demo goes on', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const refused: string[] = []
  const stored = new Set<string>()
  let isRefusing = true
  const append = async (events: readonly AttributedEvent[]) => {
    if (isRefusing) {
      refused.push(...events.map(({ event }) => JSON.stringify(event)))
      throw new AppError('storage_unavailable', 'The file of 2026-05-20 is being rewritten.')
    }
    for (const { event } of events) stored.add(JSON.stringify(event))
    return { stored: events.length, duplicates: 0, expired: [] }
  }
  const trickle = startLiveTrickle({ storage: { log: { append } }, clock: () => NOW_MS }, DOMAINS, [])
  const tick = async () => {
    context.mock.timers.tick(1000)
    await setImmediate()
  }
  await tick()
  await tick()
  isRefusing = false
  await tick()
  await trickle.stop()
  assert.ok(refused.length > 0)
  assert.deepEqual(
    refused.filter((event) => !stored.has(event)),
    [],
  )
})

test('an error in the demo itself is not hidden', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const append = () => Promise.reject(new TypeError('a mistake'))
  const trickle = startLiveTrickle({ storage: { log: { append } }, clock: () => NOW_MS }, DOMAINS, [])
  context.mock.timers.tick(1000)
  await assert.rejects(trickle.stop(), /a mistake/)
})
