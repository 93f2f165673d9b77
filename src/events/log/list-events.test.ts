import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  collect,
  DAY,
  delivery,
  type MemoryScene,
  NOON,
  openMemoryScene,
} from '../../../test/harness/app/memory-scene.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import type { EmailEvent, EventType } from '../event.ts'
import { createCursors } from './cursor.ts'
import { type ListEventsRequest, listEvents, listMessageEvents } from './list-events.ts'

async function openLog() {
  const scene = await openMemoryScene()
  const cursors = createCursors(createSealer(Buffer.alloc(32), 'cursor'), scene.deps.clock, 'next_token')
  const deps = { ...scene.deps, cursors }
  const list = (request: Partial<ListEventsRequest> = {}) =>
    listEvents(deps, { tenantId: scene.acme.id, domain: 'a.test', filters: {}, ...request })
  return { ...scene, deps, list }
}

function appendAt(scene: MemoryScene, ...events: readonly { at: number; type?: EventType }[]): Promise<void> {
  return scene.append(
    events.map(({ at, type = 'Delivery' }, index) =>
      delivery({ id: `m${index}`, timestamp: at, type, subject: 'hello' }),
    ),
  )
}

function times({ events }: { readonly events: readonly string[] }): number[] {
  return events.map((text) => (JSON.parse(text) as EmailEvent).timestamp - NOON)
}

function refuses(code: string, message: RegExp) {
  return (error: unknown) => error instanceof AppError && error.code === code && message.test(error.message)
}

test('without a window the last 15 days up to now are listed, both ends included', async () => {
  const log = await openLog()
  await appendAt(log, ...[NOON - 15 * DAY - 1, NOON - 15 * DAY, NOON, NOON + 1].map((at) => ({ at })))
  const result = await log.list()
  assert.deepEqual(times(result), [0, -15 * DAY])
  assert.deepEqual(result.window, { startTimestamp: NOON - 15 * DAY, endTimestamp: NOON })
})

test('the window stays where it was on the first page, although time passes', async () => {
  const log = await openLog()
  await appendAt(log, { at: NOON - 1 }, { at: NOON - 2 }, { at: NOON - 15 * DAY })
  const first = await log.list({ limit: 2 })
  log.time.nowMs += 3_600_000
  const second = await log.list({ nextToken: first.nextToken ?? '' })
  assert.deepEqual(times(second), [-15 * DAY])
  assert.equal(second.nextToken, undefined)
})

test('a token continues with the filters of the first page when sent alone, with another limit if wanted', async () => {
  const log = await openLog()
  const types: EventType[] = ['Bounce', 'Delivery', 'Bounce', 'Bounce', 'Delivery', 'Bounce']
  await appendAt(log, ...types.map((type, index) => ({ at: NOON - index, type })))
  const first = await log.list({ filters: { types: ['Bounce'] }, limit: 1 })
  const rest = await log.list({ nextToken: first.nextToken ?? '', limit: 100 })
  assert.deepEqual([...times(first), ...times(rest)], [0, -2, -3, -5])
  assert.deepEqual([rest.filters, rest.window], [first.filters, first.window])
})

test('a token sent with filters that differ from the first page’s is refused, with equal ones it continues', async () => {
  const log = await openLog()
  await appendAt(log, { at: NOON }, { at: NOON - 1 })
  const first = await log.list({ filters: { subject: 'hello' }, limit: 1 })
  const nextToken = first.nextToken ?? ''
  const others: readonly [string, Partial<ListEventsRequest>][] = [
    ['subject', { filters: { subject: 'hell' } }],
    ['type', { filters: { types: ['Bounce'] } }],
    ['recipient', { filters: { recipient: 'u' } }],
    ['response_code', { filters: { codes: [{ from: 250, to: 250 }] } }],
    ['start_timestamp', { startTimestamp: 1 }],
    ['end_timestamp', { endTimestamp: NOON + 1 }],
  ]
  for (const [name, request] of others) {
    const message = new RegExp(`^${name} differs from that of the first page`)
    await assert.rejects(log.list({ nextToken, ...request }), refuses('invalid_cursor', message), name)
  }
  const filters = { subject: 'hello' }
  const again = await log.list({ nextToken, filters, startTimestamp: NOON - 15 * DAY, endTimestamp: NOON })
  assert.deepEqual(times(again), [-1])
})

test('a token of another domain of the same tenant is refused', async () => {
  const log = await openLog()
  await log.addDomain(log.acme, 'b.test')
  await appendAt(log, { at: NOON }, { at: NOON - 1 })
  const { nextToken = '' } = await log.list({ limit: 1 })
  await assert.rejects(log.list({ domain: 'b.test', nextToken }), refuses('invalid_cursor', /next_token is not valid/))
})

test('a domain of another tenant is not found, like one that does not exist', async () => {
  const log = await openLog()
  await log.addDomain(await log.addTenant('rival'), 'rival.test')
  for (const domain of ['rival.test', 'nobody.test']) {
    await assert.rejects(log.list({ domain }), refuses('domain_not_found', /^Domain not found/))
  }
})

test('a message is listed whole, in pages, whatever its time', async () => {
  const log = await openLog()
  const old = delivery({ timestamp: NOON - 60 * DAY })
  const many = Array.from({ length: 1200 }, (_, index) => delivery({ recipient: `u${index}@b.test` }))
  await log.append([old, ...many, delivery({ id: 'm2' })])
  const request = { tenantId: log.acme.id, domain: 'A.test.', messageId: 'm1' }
  const pages = await collect(await listMessageEvents(log.deps, request))
  assert.ok(pages.length > 1)
  assert.equal(pages.flat().length, 1201)
  assert.equal(times({ events: pages.flat() }).at(-1), -60 * DAY)
})

test('a window that starts after its end is refused, and the error says what the defaults are', async () => {
  const log = await openLog()
  await assert.rejects(log.list({ endTimestamp: 5 }), refuses('invalid_request', /15 days before now/))
})

test('a limit above 1000 counts as 1000', async () => {
  const log = await openLog()
  await appendAt(log, ...Array.from({ length: 1001 }, (_, index) => ({ at: NOON - index })))
  const result = await log.list({ limit: 5000 })
  assert.equal(result.events.length, 1000)
  assert.ok(result.nextToken)
})
