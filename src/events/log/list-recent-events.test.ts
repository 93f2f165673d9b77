import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import type { EmailEvent } from '../event.ts'
import { listRecentEvents } from './list-events.ts'

const secondsBefore = (texts: readonly string[]) =>
  texts.map((text) => NOON - (JSON.parse(text) as EmailEvent).timestamp)

test('the newest 1000 events of the wanted types, however often the budget runs out', async () => {
  const { append, deps, acme } = await openMemoryScene()
  const typeOf = (index: number) => (index % 3 ? 'Delivery' : 'Feedback')
  await append(Array.from({ length: 1600 }, (_, index) => delivery({ timestamp: NOON - index, type: typeOf(index) })))
  const request = { tenantId: acme.id, domain: 'A.test.', types: ['Delivery'] as const }
  const texts = await listRecentEvents({ ...deps, budgetMs: 0 }, request)
  assert.equal(texts.length, 1000)
  assert.deepEqual(secondsBefore(texts.slice(0, 3)), [1, 2, 4])
})

test('nothing older than 15 days, nothing from the future', async () => {
  const { append, deps, acme } = await openMemoryScene()
  await append([NOON + 1, NOON, NOON - 15 * DAY, NOON - 15 * DAY - 1].map((timestamp) => delivery({ timestamp })))
  const texts = await listRecentEvents(deps, { tenantId: acme.id, domain: 'a.test', types: ['Delivery'] })
  assert.deepEqual(secondsBefore(texts), [0, 15 * DAY])
})

test('no page is asked for more than is missing', async () => {
  const { deps, acme } = await openMemoryScene()
  const limits: number[] = []
  const list: typeof deps.log.list = async ({ limit }) => {
    limits.push(limit)
    return { events: Array.from({ length: 400 }, () => JSON.stringify(delivery())).slice(0, limit), next: 'x' }
  }
  const request = { tenantId: acme.id, domain: 'a.test', types: ['Delivery'] as const }
  assert.equal((await listRecentEvents({ ...deps, log: { list } }, request)).length, 1000)
  assert.deepEqual(limits, [1000, 600, 200])
})
