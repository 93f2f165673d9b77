/** What the log promises, with reads on several threads. The contract suites cover the answers themselves. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import type { DeliveryTimesQuery } from '../../../events/delivery-times/sample-delivery-times.ts'
import type { LogQuery } from '../../../events/log/log-query.ts'
import type { RepliesQuery } from '../../../events/replies/count-replies.ts'
import { systemClock } from '../../../lib/clock.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { ALL_TIMES, BUDGET_MS, burst, queryOf } from '../../contract/log-scene.ts'
import type { Storage } from '../../storage.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { PooledLog } from './pooled-log.ts'
import type { ReadPool, ReadShare } from './read-pool.ts'

const DAY = 86_400
const DOMAIN = { number: 1, name: 'a.test' }
const OTHER = { number: 2, name: 'b.test' }
const APPENDS = 600
const ENDING_SOON = 'counts findNewestTimestamp lastArrival list list listArrivals listMessage listNewest'.split(' ')

const open = (readers: number) => openTestStorage(systemClock, { readers })

/** Matches nothing and cannot use an index: it runs for many slices. */
const SEARCH: LogQuery = { ...queryOf([OTHER], 1, { anyText: 'zz' }), tenantId: 'searcher' }

async function countEverywhere({ log }: Storage, query: LogQuery): Promise<readonly number[]> {
  const message = { domains: [DOMAIN], messageId: 'message-0', limit: 10, budgetMs: BUDGET_MS }
  const [page, filtered, ofMessage, counts] = await Promise.all([
    log.list({ ...query, limit: 1 }),
    log.list({ ...query, filters: { types: ['Delivery'] } }),
    log.listMessage(message),
    log.counts([DOMAIN.number]),
  ])
  const newest = JSON.parse(page.events[0] ?? '{}') as { readonly id?: string }
  const number = Number(newest.id?.replace('message-', ''))
  return [number, filtered.events.length, ofMessage.events.length, counts.get(DOMAIN.number)?.delivery ?? 0]
}

for (const readers of [1, 2]) {
  test(`what was appended is in every read that follows, with ${readers} reading threads`, async () => {
    await using storage = await open(readers)
    await storage.log.append(Array.from({ length: 300 }, (_, index) => burst(index, OTHER)))
    let isDone = false
    // Keeps every thread busy, so that all of them are used.
    const searching = Array.from({ length: readers }, async (_, searcher) => {
      while (!isDone) await storage.log.list({ ...SEARCH, tenantId: `searcher ${searcher}` })
    })
    let position = await storage.log.arrivals.last()
    for (let index = 0; index < APPENDS; index++) {
      const day = BASE_TIMESTAMP + (index % 3) * DAY
      await storage.log.append([burst(index, DOMAIN, day)])
      const window = { startTimestamp: day, endTimestamp: day + DAY - 1 }
      const query = { ...queryOf([DOMAIN], 1000, {}, window), tenantId: `reader ${index % 5}` }
      const [arrived, seen] = await Promise.all([
        storage.log.arrivals.list({ domains: [DOMAIN], filters: {}, after: position, limit: 10, budgetMs: BUDGET_MS }),
        countEverywhere(storage, query),
      ])
      position = arrived.position
      assert.equal(arrived.events.length, 1)
      assert.deepEqual(seen, [index, Math.floor(index / 3) + 1, 1, index + 1])
    }
    isDone = true
    await Promise.all(searching)
  })
}

describe('reads on threads', () => {
  test('days that are removed while they are read cost no read more than their events', async () => {
    await using storage = await open(2)
    const days = Array.from({ length: 10 }, (_, index) => BASE_TIMESTAMP + index * DAY)
    await storage.log.append(
      days.flatMap((day, at) => Array.from({ length: 50 }, (_, i) => burst(at * 50 + i, DOMAIN, day))),
    )
    let isDone = false
    const reading = ['a', 'b', 'c'].map(async (tenantId) => {
      for (let before = 500; !isDone; ) {
        const { events } = await storage.log.list({ ...queryOf([DOMAIN], 1000), tenantId })
        assert.ok(events.length <= before)
        before = events.length
        const { events: found } = await storage.log.list({
          ...queryOf([DOMAIN], 100, { anyText: 'number 499' }),
          tenantId,
        })
        assert.equal(found.length, 1)
        assert.equal((await storage.log.counts([DOMAIN.number])).get(DOMAIN.number)?.delivery, 500)
      }
    })
    for (const day of days.slice(1)) {
      await storage.log.removeBefore(day * 1000)
      const { events } = await storage.log.list(queryOf([DOMAIN], 1000))
      assert.equal(events.length, 500 - 50 * days.indexOf(day), 'with the next read')
    }
    isDone = true
    await Promise.all(reading)
  })

  test('followers that change threads with every batch get each event once, while threads start and days are added', async () => {
    await using storage = await open(4)
    const { log } = storage
    const events = 400
    let isDone = false
    const followers = Array.from({ length: 8 }, async (_, follower) => {
      const seen: string[] = []
      let after = '0'
      for (let isLast = false; ; ) {
        const page = await log.arrivals.list({
          tenantId: `follower ${follower}`,
          domains: [DOMAIN],
          filters: {},
          after,
          limit: 1 + (follower % 3) * 7,
          budgetMs: BUDGET_MS,
        })
        seen.push(...page.events.map(({ text }) => (JSON.parse(text) as { readonly id: string }).id))
        // Resumes from the position of an event or of the page, as clients do.
        after = (follower % 2 === 0 ? page.events.at(-1)?.position : undefined) ?? page.position
        if (isLast && page.events.length === 0) return seen
        isLast = isDone
      }
    })
    for (let index = 0; index < events; index++) {
      await log.append([burst(index, DOMAIN, BASE_TIMESTAMP + (index % 40) * DAY)])
    }
    isDone = true
    const all = Array.from({ length: events }, (_, index) => `message-${index}`).sort()
    for (const seen of await Promise.all(followers)) assert.deepEqual(seen.toSorted(), all)
  })

  test('a file that turns out to be damaged is left out of the read that finds it, and of all that follow', async () => {
    await using storage = await open(2)
    await storage.log.append([burst(1, DOMAIN), burst(2, DOMAIN, BASE_TIMESTAMP + DAY)])
    const followed: string[] = []
    storage.capabilities.troubles?.follow(({ detail }) => followed.push(detail))
    const [name] = readdirSync(join(storage.dataDir, 'events')).filter((file) => file.endsWith('.db'))
    assert(name !== undefined)
    writeFileSync(join(storage.dataDir, 'events', name), Buffer.alloc(8192, 1))
    writeFileSync(join(storage.dataDir, 'events', `${name}-wal`), '')
    const pages = await Promise.all([1, 2, 3, 4].map(() => storage.log.list(queryOf([DOMAIN], 10))))
    assert.deepEqual(
      pages.map(({ events }) => events.length),
      [1, 1, 1, 1],
    )
    assert.equal(followed.length, 1)
    assert.match(followed[0] ?? '', /file is not a database .*repair/)
    assert.equal((await storage.log.counts([DOMAIN.number])).get(DOMAIN.number)?.delivery, 1)
    await assert.rejects(storage.log.list({ ...queryOf([DOMAIN], 10), after: 'x' }), {
      name: 'AppError',
      code: 'invalid_cursor',
    })
  })

  test('closing under load ends every read and closes every file', async () => {
    await using storage = await open(2)
    await storage.log.append(Array.from({ length: 5000 }, (_, index) => burst(index, OTHER)))
    const filters = { recipient: 'u', subject: 'of' }
    const reads = Array.from({ length: 40 }, (_, index) =>
      storage.log.list({ ...SEARCH, filters, tenantId: `t${index % 7}`, limit: 1000 }),
    )
    const settled = Promise.allSettled(reads)
    await reads[0]
    await storage.close()
    for (const outcome of await settled) {
      if (outcome.status === 'rejected') assert.equal((outcome.reason as { code?: string }).code, 'storage_unavailable')
    }
    const files = readdirSync(join(storage.dataDir, 'events'))
    assert.ok(
      files.every((name) => name.endsWith('.db')),
      `the last connection removes the WAL: ${files.join(' ')}`,
    )
    await assert.rejects(storage.log.list(queryOf([DOMAIN], 1)), { code: 'storage_unavailable' })
  })

  test('searches whose callers have gone away end early', async () => {
    const searchThresholds = { ...SEARCH_THRESHOLDS, sliceRows: 1 }
    await using storage = await openTestStorage(systemClock, { readers: 1, searchThresholds })
    await storage.log.append(Array.from({ length: 4000 }, (_, index) => burst(index, OTHER)))
    // The first one also starts the thread.
    for (let round = 0; round < 3; round++) await storage.log.list(SEARCH)
    const startedOne = process.cpuUsage()
    await storage.log.list(SEARCH)
    const one = process.cpuUsage(startedOne).user
    const startedAll = process.cpuUsage()
    for (let round = 0; round < 10; round++) {
      const gone = new AbortController()
      const search = assert.rejects(storage.log.list({ ...SEARCH, signal: gone.signal }), { code: 'invalid_request' })
      // It runs once the thread has stopped the one before.
      while (storage.health.reads?.waiting !== 0) await nextTurn()
      gone.abort()
      await search
    }
    while (storage.health.reads?.running !== 0) await nextTurn()
    const all = process.cpuUsage(startedAll).user
    assert.ok(all < 5 * one, `10 abandoned searches took ${all} microseconds, one search ${one}`)
  })

  test('a series that is not read to its end frees its place', async () => {
    await using storage = await open(1)
    const days = Array.from({ length: 5 }, (_, index) => burst(index, DOMAIN, BASE_TIMESTAMP + index * DAY))
    await storage.log.append(days)
    const fromHour = Math.floor(BASE_TIMESTAMP / 3600)
    const range = { fromHour, toHour: fromHour + 24 * 10 }
    const query = { domainNumbers: [DOMAIN.number], filters: {}, group: 'type', tenantId: 'a', ...range } as const
    for (let round = 0; round < 40; round++) {
      for await (const counts of storage.log.series(query)) {
        assert.equal(counts.length, 5)
        break
      }
    }
    assert.equal((await storage.log.list({ ...queryOf([DOMAIN], 10, {}, ALL_TIMES), tenantId: 'a' })).events.length, 5)
  })
})

test('reads that may take long are not among those that end soon', async () => {
  const soon: string[] = []
  const late: string[] = []
  const note = async (name: string, { isShort }: ReadShare) => {
    ;(isShort ? soon : late).push(name)
    throw new Error('nothing is read')
  }
  const pool = {
    read: (share: ReadShare, name: string) => note(name, share),
    async *series(share: ReadShare) {
      yield await note('series', share)
    },
  } as unknown as ReadPool
  const log = new PooledLog(pool, 'x')
  const query = { ...queryOf([DOMAIN, OTHER], 100), fields: [], bucketSeconds: 3600 }
  const hours = { fromHour: 0, toHour: 1, domainNumbers: [1], filters: {}, group: 'type' } as const
  const sampled = { domains: [DOMAIN], window: ALL_TIMES, budgetMs: BUDGET_MS }
  const asked = { ...sampled, limit: 10, filters: {} }
  await Promise.allSettled([
    log.list(queryOf([DOMAIN], 100)),
    log.list(query),
    log.list({ ...query, filters: { types: ['Bounce'], messageId: 'a' } }),
    log.listMessage({ ...asked, messageId: 'a' }),
    log.lastArrival(),
    log.listArrivals({ ...asked, after: 'a1' }),
    log.counts([1]),
    log.findNewestTimestamp(),
  ])
  assert.deepEqual([soon.sort(), late], [ENDING_SOON, []])
  await Promise.allSettled([
    log.list({ ...query, limit: 101 }),
    log.list({ ...query, filters: { recipient: 'a' } }),
    log.count(query),
    log.series(hours).next(),
    log.replies({ ...sampled, types: ['Bounce'] } as unknown as RepliesQuery),
    log.deliveryTimes(sampled as unknown as DeliveryTimesQuery),
  ])
  assert.deepEqual([soon, late.sort()], [ENDING_SOON, ['count', 'deliveryTimes', 'list', 'list', 'replies', 'series']])
})
