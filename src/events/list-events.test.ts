import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStorage } from '../../test/harness/sqlite-storage.ts'
import { addDomain } from '../domains/registration/add-domain.ts'
import { AppError } from '../lib/app-error.ts'
import { createSealer } from '../lib/sealer.ts'
import type { Storage } from '../storage/storage.ts'
import { createTenant } from '../tenants/create-tenant.ts'
import { createCursors } from './cursor.ts'
import type { EmailEvent, EventType } from './event.ts'
import { type ListEventsRequest, listEvents } from './list-events.ts'
import { listRecentEvents } from './list-recent-events.ts'

const NOW = 1_772_366_400
const DAY = 86_400

async function openLog() {
  const clock = { nowMs: NOW * 1000 }
  const storage = await openTestStorage(() => clock.nowMs)
  const sealer = createSealer(Buffer.alloc(32), 'cursor')
  const deps = {
    ...storage,
    cursors: createCursors(sealer, () => clock.nowMs),
    clock: () => clock.nowMs,
    budgetMs: 1000,
  }
  const tenant = await createTenant({ keys: storage.control.keys, clock: deps.clock }, 'Acme')
  const domain = await addDomain(
    { ...deps, sealer, spfInclude: 'spf.test' },
    { name: 'a.test', tenantName: 'Acme', isActive: true },
  )
  const list = (request: Partial<ListEventsRequest> = {}) =>
    listEvents(deps, { tenantId: tenant.id, domain: 'a.test', filters: {}, ...request })
  return { storage, clock, deps, tenant, domain, list, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() }
}

async function append(
  storage: Storage,
  domainNumber: number,
  ...events: readonly { at: number; type?: EventType; subject?: string }[]
) {
  const toEvent = (
    { at, type = 'Delivery', subject = 'hello' }: (typeof events)[number],
    index: number,
  ): EmailEvent => ({
    id: `m${index}`,
    timestamp: at,
    type,
    domain_name: 'a.test',
    recipient: 'u@b.test',
    subject,
  })
  await storage.log.append(events.map((event, index) => ({ domainNumber, event: toEvent(event, index) })))
}

function times(result: { events: readonly string[] }): number[] {
  return result.events.map((text) => (JSON.parse(text) as EmailEvent).timestamp - NOW)
}

function refuses(code: string, message: RegExp) {
  return (error: unknown) => error instanceof AppError && error.code === code && message.test(error.message)
}

test('without a window the last 15 days up to now are listed, both ends included', async () => {
  await using log = await openLog()
  const at = [NOW - 15 * DAY - 1, NOW - 15 * DAY, NOW, NOW + 1].map((second) => ({ at: second }))
  await append(log.storage, log.domain.number, ...at)
  const result = await log.list()
  assert.deepEqual(times(result), [0, -15 * DAY])
  assert.deepEqual(result.filtersApplied, { startTimestamp: NOW - 15 * DAY, endTimestamp: NOW })
})

test('the window stays where it was on the first page, although time goes on', async () => {
  await using log = await openLog()
  await append(log.storage, log.domain.number, { at: NOW - 1 }, { at: NOW - 2 }, { at: NOW - 15 * DAY })
  const first = await log.list({ limit: 2 })
  log.clock.nowMs += 3_600_000
  const second = await log.list({ nextToken: first.nextToken ?? '' })
  assert.deepEqual(times(second), [-15 * DAY])
  assert.equal(second.nextToken, undefined)
})

test('a token goes on with the filters of the first page when sent alone, with another limit if wanted', async () => {
  await using log = await openLog()
  const types: EventType[] = ['Bounce', 'Delivery', 'Bounce', 'Bounce', 'Delivery', 'Bounce']
  await append(log.storage, log.domain.number, ...types.map((type, index) => ({ at: NOW - index, type })))
  const first = await log.list({ filters: { type: 'Bounce' }, limit: 1 })
  const rest = await log.list({ nextToken: first.nextToken ?? '', limit: 100 })
  assert.deepEqual([...times(first), ...times(rest)], [0, -2, -3, -5])
  assert.deepEqual(rest.filtersApplied, first.filtersApplied)
})

test('a token sent with filters that differ from the first page’s is refused, with equal ones it goes on', async () => {
  await using log = await openLog()
  await append(log.storage, log.domain.number, { at: NOW }, { at: NOW - 1 })
  const first = await log.list({ filters: { subject: 'hello' }, limit: 1 })
  const nextToken = first.nextToken ?? ''
  for (const filters of [
    { subject: 'hell' },
    { type: 'Bounce' as const },
    { recipient: 'u' },
    { responseCode: 250 },
    { startTimestamp: 1 },
  ]) {
    await assert.rejects(log.list({ nextToken, filters }), refuses('invalid_cursor', /differs from the first page/))
  }
  const again = await log.list({
    nextToken,
    filters: { subject: 'hello', endTimestamp: NOW, startTimestamp: NOW - 15 * DAY },
  })
  assert.deepEqual(times(again), [-1])
})

test('a message is listed whole, whatever the window, and its other filters do not count', async () => {
  await using log = await openLog()
  await append(log.storage, log.domain.number, { at: NOW - 60 * DAY })
  const result = await log.list({ messageId: 'm0', filters: { type: 'Bounce' }, limit: 1 })
  assert.deepEqual(times(result), [-60 * DAY])
  assert.deepEqual(result.filtersApplied, { messageId: 'm0' })
})

test('a window that starts after its end is refused, and says what the defaults are', async () => {
  await using log = await openLog()
  await assert.rejects(log.list({ filters: { endTimestamp: 5 } }), refuses('invalid_request', /15 days before now/))
})

test('a limit above 1000 counts as 1000', async () => {
  await using log = await openLog()
  await append(log.storage, log.domain.number, ...Array.from({ length: 1001 }, (_, index) => ({ at: NOW - index })))
  const result = await log.list({ limit: 5000 })
  assert.equal(result.events.length, 1000)
  assert.ok(result.nextToken)
})

test('the list of recent events has the newest 1000 of the wanted types', async () => {
  await using log = await openLog()
  const events = Array.from({ length: 1500 }, (_, index) => ({
    at: NOW - index,
    type: index % 3 ? ('Delivery' as const) : ('Feedback' as const),
  }))
  await append(log.storage, log.domain.number, ...events)
  const request = { tenantId: log.tenant.id, domain: 'A.test.', types: ['Delivery'] as const }
  const texts = await listRecentEvents({ ...log.deps, budgetMs: 0 }, request)
  assert.equal(texts.length, 1000)
  assert.deepEqual(times({ events: texts.slice(0, 3) }), [-1, -2, -4])
})
