import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, delivery, NOON, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSealer } from '../../lib/sealing/sealer.ts'
import type { EmailEvent } from '../event.ts'
import { type AskedLog, createCursors } from './cursor.ts'
import { resolveWindow } from './list-events.ts'
import type { LogQuery } from './log-query.ts'
import { exportLog, searchLog, startOf } from './search-log.ts'

/** Two domains of acme and one of a rival, with an event each. */
async function openLog() {
  const scene = await openMemoryScene()
  const cursors = createCursors(createSealer(Buffer.alloc(32), 'cursor'), scene.deps.clock, 'cursor')
  const deps = { ...scene.deps, cursors }
  const second = await scene.addDomain(scene.acme, 'b.test')
  const foreign = await scene.addDomain(await scene.addTenant('rival'), 'rival.test')
  await scene.append([delivery({ id: 'a', subject: 'hello' })])
  await scene.append([delivery({ id: 'b', timestamp: NOON - 15 * DAY, subject: 'hello' })], second)
  await scene.append([delivery({ id: 'c' })], foreign)
  const search = (asked: Partial<AskedLog> = {}, more: { limit?: number; cursor?: string } = {}) =>
    searchLog(deps, { tenantId: scene.acme.id, asked: { filters: {}, ...asked }, limit: 50, ...more })
  return { ...scene, deps, search }
}

function ids({ events }: { readonly events: readonly string[] }): string[] {
  return events.map((text) => (JSON.parse(text) as EmailEvent).id)
}

function refuses(code: string, message: RegExp) {
  return (error: unknown) => error instanceof AppError && error.code === code && message.test(error.message)
}

test('all domains of the tenant and no other’s are searched, or the requested ones', async () => {
  const log = await openLog()
  assert.deepEqual(ids(await log.search()), ['a', 'b'])
  assert.deepEqual(ids(await log.search({ domains: ['B.TEST'] })), ['b'])
  for (const name of ['rival.test', 'nobody.test']) {
    await assert.rejects(log.search({ domains: ['a.test', name] }), refuses('domain_not_found', /^Domain not found/))
  }
})

test('a cursor sent alone, or with the parameters of the first page, continues; with anything else it is refused', async () => {
  const log = await openLog()
  const asked = { filters: { subject: 'HELLO' } }
  const first = await log.search(asked, { limit: 1 })
  assert.deepEqual([ids(first), first.searchedTo], [['a'], NOON])
  const cursor = first.nextCursor ?? ''
  log.time.nowMs += 3_600_000
  for (const same of [{}, asked]) {
    const rest = await log.search(same, { cursor })
    assert.deepEqual([ids(rest), rest.nextCursor], [['b'], undefined], 'the window stays where it was')
  }
  for (const other of [{ filters: { subject: 'hell' } }, { ...asked, domains: ['a.test'] }, { startTimestamp: 1 }]) {
    await assert.rejects(log.search(other, { cursor }), refuses('invalid_cursor', /filters differ/))
  }
  const rival = { tenantId: 'another', asked: { filters: {} }, limit: 1, cursor }
  await assert.rejects(searchLog(log.deps, rival), refuses('invalid_cursor', /^cursor is not valid/))
})

test('15 days are searched unless a window is given; a message id is searched for in all retained events', async () => {
  const log = await openLog()
  await log.append([delivery({ id: 'old', timestamp: NOON - 40 * DAY })])
  const recent = await log.search()
  assert.deepEqual([ids(recent), recent.searchedTo], [['a', 'b'], NOON - 15 * DAY])
  assert.deepEqual(ids(await log.search({ startTimestamp: 0 })), ['a', 'b', 'old'])
  assert.deepEqual(ids(await log.search({ endTimestamp: NOON - 39 * DAY })), ['old'])
  assert.deepEqual(ids(await log.search({ filters: { messageId: 'old' } })), ['old'])
  await assert.rejects(log.search({ startTimestamp: NOON + 1 }), refuses('invalid_request', /from is not before to/))
})

test('an export has every event once, in pages that are read on demand', async () => {
  const log = await openLog()
  await log.append(Array.from({ length: 1100 }, (_, index) => delivery({ id: `m${index}`, timestamp: NOON - 1 })))
  let reads = 0
  const list: typeof log.deps.log.list = (query) => {
    reads++
    return log.deps.log.list(query)
  }
  const request = { tenantId: log.acme.id, asked: { filters: {} } }
  const { pages } = await exportLog({ ...log.deps, log: { list } }, request)
  assert.equal(reads, 0)
  const first = await pages.next()
  assert.equal(reads, 1)
  const found = ids({ events: first.value ?? [] })
  for await (const events of pages) found.push(...ids({ events }))
  assert.equal(found.length, 1102)
  assert.equal(new Set(found).size, 1102)
})

test('a domain that is removed during an export is not in its later pages', async () => {
  const log = await openLog()
  await log.append(Array.from({ length: 1100 }, (_, index) => delivery({ id: `m${index}`, timestamp: NOON - 1 })))
  const { pages } = await exportLog(log.deps, { tenantId: log.acme.id, asked: { filters: {} } })
  assert.equal((await pages.next()).value?.length, 500)
  const { removals, domains } = log.deps
  const domain = await domains.findByName('a.test')
  await removals.removeDomain(domain?.id ?? '', { id: '1', requestedBy: 'local', requestedAtMs: 1 })
  for await (const events of pages) assert.ok(!events.some((text) => text.includes('"a.test"')))
})

test('a filter by where messages were sent from is refused to those who may not see it, also in an older cursor', async () => {
  const log = await openLog()
  const asked: AskedLog = { filters: { sendingPools: ['bulk'] } }
  const request = { tenantId: log.acme.id, asked, limit: 1 }
  const window = { startTimestamp: 0, endTimestamp: NOON }
  const cursor = log.deps.cursors.write({ tenantId: log.acme.id, asked, window, after: `${NOON}.9` })
  const continued = { ...request, asked: { filters: {} }, cursor }
  for (const shown of [undefined, 'interface', 'attempts'] as const) {
    for (const each of [request, continued])
      await assert.rejects(
        searchLog(log.deps, { ...each, ...(shown && { shown }) }),
        refuses('forbidden', /sending_pool/),
      )
    await assert.rejects(
      exportLog(log.deps, { ...request, ...(shown && { shown }) }),
      refuses('forbidden', /sending_pool/),
    )
  }
  for (const each of [request, continued])
    assert.deepEqual((await searchLog(log.deps, { ...each, shown: 'sending' })).events, [])
})

test('whoever may read other domains says which; their list is passed on as it is', async () => {
  const log = await openLog()
  const domains = [log.domain]
  const asked: LogQuery[] = []
  const deps = {
    ...log.deps,
    findDomains: async () => domains,
    log: {
      async list(query: LogQuery) {
        asked.push(query)
        return {
          events: [],
          ...(asked.length < 3 && { next: 'x' }),
          ...(asked.length === 1 && { searchedTo: NOON - 7 }),
        }
      },
    },
  }
  const request = { tenantId: 'operator', asked: { filters: {} }, limit: 5 }
  assert.equal((await searchLog(deps, request)).searchedTo, NOON - 7)
  assert.equal((await searchLog(deps, request)).searchedTo, NOON, 'nothing is known to be searched')
  const { pages, window } = await exportLog(deps, request)
  for await (const _ of pages) assert.equal(asked.at(-1)?.isContinuation, true)
  assert.deepEqual(window, { startTimestamp: NOON - 15 * DAY, endTimestamp: NOON })
  assert.equal(asked.length, 3)
  for (const query of asked) assert.equal(query.domains, domains)
})

test('a window is of whole seconds, begins in 1970 at the earliest, and may be a single second', () => {
  const windowOf = (asked: Partial<AskedLog>) => startOf({ filters: {}, ...asked }, 2999).window
  assert.deepEqual(windowOf({}), { startTimestamp: 0, endTimestamp: 2 })
  assert.deepEqual(windowOf({ startTimestamp: 2 }), { startTimestamp: 2, endTimestamp: 2 })
  assert.throws(() => windowOf({ startTimestamp: 3 }), { code: 'invalid_request' })
  assert.deepEqual(resolveWindow({}, 2999), { startTimestamp: 0, endTimestamp: 2 })
  assert.deepEqual(resolveWindow({ startTimestamp: 2 }, 2999), { startTimestamp: 2, endTimestamp: 2 })
  assert.throws(() => resolveWindow({ startTimestamp: 3 }, 2999), { code: 'invalid_request' })
})
