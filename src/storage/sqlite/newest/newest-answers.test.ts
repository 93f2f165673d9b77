/** Pages that are answered from memory are what a read of the files gives, whatever was committed or removed before. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import type { LogDomain, LogPage, LogQuery, LogWindow, ShownFields } from '../../../events/log/log-query.ts'
import { systemClock } from '../../../lib/clock.ts'
import { nextTurn } from '../../../lib/turns/next-turn.ts'
import { eraseAll } from '../../contract/erasure.contract.ts'
import { attributedEvents, BASE_TIMESTAMP, logWindow } from '../../contract/event-arbitraries.ts'
import { attribute, burst, freshDomains, queryOf } from '../../contract/log-scene.ts'
import type { Storage } from '../../storage.ts'
import { LogReads } from '../read-pool/log-reads.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'

const DAY = 86_400
/** Days that the events of a run are spread over. */
const RUN_DAYS = 4
const RUNS = 30

type TestStorage = Storage & { readonly dataDir: string }

interface Poll {
  readonly domain: 0 | 1
  readonly shown: ShownFields
  readonly limit: number
  readonly window: LogWindow
}

type Step =
  | { readonly do: 'append'; readonly events: readonly AttributedEvent[] }
  /** While requests are under way. */
  | { readonly do: 'append and poll'; readonly requests: readonly (readonly AttributedEvent[])[] }
  | { readonly do: 'erase'; readonly recipient: string }
  | { readonly do: 'erase domain'; readonly domain: 0 | 1 }
  | { readonly do: 'remove'; readonly days: number }

const poll: fc.Arbitrary<Poll> = fc.record({
  domain: fc.constantFrom(0, 1),
  shown: fc.constantFrom('interface', 'attempts', 'sending'),
  limit: fc.constantFrom(1, 2, 3, 5, 20, 100),
  window: logWindow,
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: attributedEvents.map((events) => ({ do: 'append', events }) as const) },
  {
    weight: 4,
    arbitrary: fc
      .array(attributedEvents, { minLength: 1, maxLength: 4 })
      .map((requests) => ({ do: 'append and poll', requests }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('u@b.test', 'orderu@b.test').map((recipient) => ({ do: 'erase', recipient }) as const),
  },
  { weight: 1, arbitrary: fc.constantFrom(0, 1).map((domain) => ({ do: 'erase domain', domain }) as const) },
  { weight: 1, arbitrary: fc.constantFrom(1, 2, 3).map((days) => ({ do: 'remove', days }) as const) },
)

/** Events of a run have days of their own: retention only goes forward. */
function shift(events: readonly AttributedEvent[], seconds: number): readonly AttributedEvent[] {
  return events.map(({ event, extension, ...rest }) => ({
    ...rest,
    event: { ...event, timestamp: event.timestamp + seconds },
    ...(extension && {
      extension: {
        ...extension,
        ...(extension.next_attempt !== undefined && { next_attempt: extension.next_attempt + seconds }),
      },
    }),
  }))
}

function toQuery({ domain, shown, limit, window }: Poll, domains: readonly LogDomain[], seconds: number): LogQuery {
  const { startTimestamp, endTimestamp } = window
  const shifted = { startTimestamp: startTimestamp + seconds, endTimestamp: endTimestamp + seconds }
  return { ...queryOf(domains.slice(domain, domain + 1), limit, {}, shifted), shown }
}

/** From the files, with nothing remembered. */
async function readFiles({ dataDir }: TestStorage, queries: readonly LogQuery[]): Promise<readonly LogPage[]> {
  const options = { dataDir, serviceMessageIdField: 'service_message_id', thresholds: SEARCH_THRESHOLDS }
  const files = new LogReads(options)
  try {
    return await Promise.all(queries.map((query) => files.list(query)))
  } finally {
    files.close()
  }
}

async function requireSame(storage: TestStorage, queries: readonly LogQuery[]): Promise<void> {
  const expected = await readFiles(storage, queries)
  // The first may be read, the second is from memory if it can be.
  for (const _ of [1, 2]) {
    assert.deepEqual(await Promise.all(queries.map((query) => storage.log.list(query))), expected)
  }
}

test('whatever happens between two requests', async () => {
  await using storage = await openTestStorage(systemClock, { readers: 2 })
  const { log } = storage
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(poll, { minLength: 2, maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 8 }),
      async (polls, steps) => {
        const domains = freshDomains()
        const seconds = ++run * RUN_DAYS * DAY
        const queries = polls.map((each) => toQuery(each, domains, seconds))
        const own = (events: readonly AttributedEvent[]) => shift(attribute(events, domains), seconds)
        for (const each of steps) {
          if (each.do === 'append') await log.append(own(each.events))
          else if (each.do === 'erase') await eraseAll(log, { what: 'recipient', address: each.recipient })
          else if (each.do === 'remove') await log.removeBefore((BASE_TIMESTAMP + seconds + each.days * DAY) * 1000)
          else if (each.do === 'erase domain') {
            await eraseAll(log, { what: 'domains', domainNumbers: [domains[each.domain].number] })
          } else {
            let isDone = false
            const appends = each.requests.map((events) => log.append(own(events)))
            const all = Promise.all(appends).finally(() => (isDone = true))
            // Some of the reads see a commit before it is reported.
            while (!isDone) await Promise.all([nextTurn(), ...queries.map((query) => log.list(query))])
            await all
          }
          await requireSame(storage, queries)
        }
      },
    ),
    { numRuns: RUNS },
  )
  const { fromMemory = 0, fromFiles = 0 } = storage.health.reads?.newestPages ?? {}
  assert.ok(3 * fromMemory > fromFiles, `${fromMemory} from memory, ${fromFiles} from files`)
})

describe('pages of a domain that is polled', () => {
  const [domain] = freshDomains()
  const query = queryOf([domain], 50)

  test('are not read again after a commit, and hold what was acknowledged', async () => {
    await using storage = await openTestStorage()
    await storage.log.append([burst(0, domain)])
    await storage.log.list(query)
    for (let index = 1; index < 200; index++) {
      await storage.log.append([burst(index, domain), burst(index - 1, domain), burst(index, freshDomains()[0])])
      const { events } = await storage.log.list(query)
      assert.match(events[0] ?? '', new RegExp(`"message-${index}"`))
      assert.equal(events.length, Math.min(index + 1, 50))
    }
    assert.deepEqual(storage.health.reads?.newestPages, { fromMemory: 199, fromFiles: 1 })
    await requireSame(storage, [query])
  })

  for (const isWatched of [true, false]) {
    const before = isWatched ? 'with' : 'without'
    test(`have each event once, whenever its commit comes while they are read, ${before} a request before`, async () => {
      await using storage = await openTestStorage()
      for (let round = 0; round < 60; round++) {
        const [domain] = freshDomains()
        const query = queryOf([domain], 50)
        await storage.log.append([burst(0, domain)])
        if (isWatched) await storage.log.list(query)
        // Drops all pages.
        await storage.log.removeBefore(0)
        const appended = storage.log.append([burst(1, domain)])
        for (let turn = 0; turn < round % 12; turn++) await nextTurn()
        await Promise.all([appended, storage.log.list(query)])
        const { events } = await storage.log.list(query)
        assert.deepEqual(
          events.map((text) => /message-\d+/.exec(text)?.[0]),
          ['message-1', 'message-0'],
        )
      }
    })
  }

  test('are read again if another domain has not been requested, or too much was added at once', async () => {
    await using storage = await openTestStorage()
    const other = { number: domain.number + 1000, name: 'other.test' }
    await storage.log.append([burst(0, domain), burst(0, other)])
    await storage.log.list(query)
    await storage.log.append([burst(1, other)])
    assert.equal((await storage.log.list(queryOf([other], 50))).events.length, 2)
    const many = Array.from({ length: 6000 }, (_, index) => burst(index, domain))
    await storage.log.append(many)
    await requireSame(storage, [query])
    assert.deepEqual(storage.health.reads?.newestPages, { fromMemory: 1, fromFiles: 3 })
  })

  test('leave out a day that is set aside', async () => {
    await using storage = await openTestStorage()
    await storage.log.append([burst(0, domain), burst(1, domain, BASE_TIMESTAMP + DAY)])
    writeFileSync(join(storage.dataDir, 'events', '2026-03-01.db'), Buffer.alloc(8192, 1))
    writeFileSync(join(storage.dataDir, 'events', '2026-03-01.db-wal'), '')
    // The first read finds the damage, and its page is not kept.
    for (const _ of [1, 2]) assert.equal((await storage.log.list(query)).events.length, 1)
    await storage.log.append([burst(2, domain, BASE_TIMESTAMP + DAY)])
    await assert.rejects(storage.log.append([burst(3, domain), burst(4, domain, BASE_TIMESTAMP + DAY)]))
    const { events } = await storage.log.list(query)
    assert.deepEqual(
      events.map((text) => /message-\d/.exec(text)?.[0]),
      ['message-4', 'message-2', 'message-1'],
    )
    assert.deepEqual(storage.health.reads?.newestPages, { fromMemory: 1, fromFiles: 2 })
  })
})
