/** The contract of every event log for erasing events. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { EmailEvent } from '../../events/event.ts'
import type { AttributedEvent, Erasure, EventLog } from '../../events/log/event-log.ts'
import type { LogDomain } from '../../events/log/log-query.ts'
import { foldCase } from '../../lib/text/case-folding.ts'
import { attributedEvents, BASE_TIMESTAMP, logFilters } from './event-arbitraries.ts'
import {
  attribute,
  burst,
  byDomain,
  fingerprint,
  follow,
  freshDomains,
  listAll,
  listMessage,
  type OpenLog,
  openModel,
  parse,
  queryOf,
  type TestedLog,
} from './log-scene.ts'

const DAY = 86_400
const BASE_HOUR = BASE_TIMESTAMP / 3600

export function erasureContract(open: OpenLog, { numRuns = 60, isOrderedWithinDomains = false } = {}): void {
  const inOrder = isOrderedWithinDomains ? byDomain : (events: readonly EmailEvent[]) => events
  describe('erasing', () => {
    test('a recipient goes from every day and domain whatever its letter case, and nobody else', async () => {
      await using storage = await open()
      const domains = freshDomains()
      const times = [0, 1, DAY, 5 * DAY].map((seconds) => BASE_TIMESTAMP + seconds)
      const events = times.flatMap((time, at) =>
        domains.flatMap((domain) => [
          sent('anna@b.test', domain, time, at),
          sent('ANNA@B.test', domain, time, at + 100),
          sent('xanna@b.test', domain, time, at + 200),
          sent('anna@b.test.example', domain, time, at + 300),
        ]),
      )
      await storage.log.append(events)
      const removed = await eraseAll(storage.log, { what: 'recipient', address: 'Anna@b.Test' })
      assert.deepEqual(removed, { events: 16, units: 3 })
      const kept = events.filter(({ event }) => !/^anna@b\.test$/i.test(event.recipient))
      assert.deepEqual(await fingerprints(storage.log, domains), kept.map(toFingerprint).sort())
      for (const filter of [{ recipient: 'anna@b.test' }, { anyText: 'anna@b.test' }]) {
        const found = await listAll(storage.log, queryOf(domains, 100, filter))
        assert.deepEqual(found.length, kept.length)
      }
      assert.deepEqual(await listMessage(storage.log, domains, 'anna@b.test 0'), [])
      assert.deepEqual(await eraseAll(storage.log, { what: 'recipient', address: 'anna@b.test' }), NOTHING)
    })

    test('counts of a recipient and of expired days stay, by domain and by hour; those of a removed domain go', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const events = [domain, other].flatMap((owner) =>
        [0, 1, 2].flatMap((day) => [
          sent('anna@b.test', owner, BASE_TIMESTAMP + day * DAY, 1),
          sent('bob@b.test', owner, BASE_TIMESTAMP + day * DAY + 3600, 2),
        ]),
      )
      await storage.log.append(events)
      const numbers = [domain.number, other.number]
      const before = await storage.log.counts(numbers)
      const hours = await countHours(storage.log, numbers)
      await eraseAll(storage.log, { what: 'recipient', address: 'anna@b.test' })
      const beforeMs = (BASE_TIMESTAMP + 2 * DAY) * 1000
      const expired = { what: 'expired', domainNumbers: [domain.number], beforeMs } as const
      assert.deepEqual(await eraseAll(storage.log, expired), { events: 2, units: 2 })
      assert.deepEqual(await storage.log.counts(numbers), before)
      assert.deepEqual(await countHours(storage.log, numbers), hours)

      await eraseAll(storage.log, { what: 'domains', domainNumbers: [domain.number] })
      assert.deepEqual(
        [...(await storage.log.counts([other.number]))],
        [...before].filter(([n]) => n === other.number),
      )
      assert.deepEqual(
        await countHours(storage.log, numbers),
        Object.fromEntries(Object.entries(hours).filter(([key]) => key.endsWith(` ${other.number}`))),
      )
    })

    test('expired are whole days of the named domains, and none before the given time', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const events = [0, 1, 2, 3].flatMap((day) =>
        [domain, other].map((owner) => burst(day, owner, BASE_TIMESTAMP + day * DAY + 5)),
      )
      await storage.log.append(events)
      const beforeMs = (BASE_TIMESTAMP + 2 * DAY + 3600) * 1000
      const fromMs = (BASE_TIMESTAMP + DAY) * 1000
      const numbers = { domainNumbers: [domain.number] }
      assert.deepEqual(await eraseAll(storage.log, { what: 'expired', ...numbers, beforeMs, fromMs }), {
        events: 1,
        units: 1,
      })
      const left = (await listAll(storage.log, queryOf([domain], 10))).map(({ timestamp }) => timestamp)
      assert.deepEqual(
        left.map((time) => (time - BASE_TIMESTAMP - 5) / DAY),
        [3, 2, 0],
      )
      assert.equal((await listAll(storage.log, queryOf([other], 10))).length, 4)
      assert.deepEqual(await eraseAll(storage.log, { what: 'expired', ...numbers, beforeMs }), { events: 1, units: 1 })
    })

    test('pages and arrivals continue where they were: each event that is left comes exactly once', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const events = Array.from({ length: 30 }, (_, at) =>
        sent(at % 3 === 0 ? 'anna@b.test' : `u${at}@b.test`, domain, BASE_TIMESTAMP + (at % 2) * DAY + at, at),
      )
      const start = await storage.log.arrivals.last()
      await storage.log.append(events)
      const first = await storage.log.list(queryOf([domain], 7))
      const followed = { seen: [] as string[], positions: [] as string[] }
      const wanted = { domains: [domain], filters: {} }
      const page = await storage.log.arrivals.list({ ...wanted, after: start, limit: 5, budgetMs: 60_000 })
      await eraseAll(storage.log, { what: 'recipient', address: 'anna@b.test' })

      const rest = await listAll(storage.log, {
        ...queryOf([domain], 7),
        ...(first.next !== undefined && { after: first.next }),
      })
      const kept = events.filter(({ event }) => event.recipient !== 'anna@b.test').map(toFingerprint)
      const seen = [...first.events.map(parse), ...rest].filter(({ recipient }) => recipient !== 'anna@b.test')
      assert.deepEqual(seen.map(fingerprint).sort(), kept.toSorted())

      await follow(storage.log, wanted, page.position, 4, followed)
      const early = page.events.map(({ text }) => parse(text)).filter(({ recipient }) => recipient !== 'anna@b.test')
      assert.deepEqual([...early.map(fingerprint), ...followed.seen].sort(), kept.toSorted())
    })

    test('an erased event that is sent again is stored again', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const event = sent('anna@b.test', domain, BASE_TIMESTAMP, 1)
      await storage.log.append([event, burst(2, domain)])
      await eraseAll(storage.log, { what: 'recipient', address: 'anna@b.test' })
      assert.deepEqual(await storage.log.append([event, burst(2, domain)]), { stored: 1, duplicates: 1, expired: [] })
      assert.equal((await listAll(storage.log, queryOf([domain], 10, { recipient: 'anna' }))).length, 1)
    })

    test('what is left is found by any filter as in the list in memory', async () => {
      await using storage = await open()
      await fc.assert(
        fc.asyncProperty(
          attributedEvents,
          attributedEvents,
          fc.array(logFilters, { maxLength: 4 }),
          fc.nat(24),
          async (some, more, filters, chosen) => {
            const model = openModel()
            const domains = freshDomains()
            const [before, later] = [attribute(some, domains), attribute(more, domains)]
            const address = before[chosen % before.length]?.event.recipient ?? ''
            for (const log of [model, storage.log]) {
              await log.append(before)
              await eraseAll(log, { what: 'recipient', address })
              await log.append(later)
            }
            for (const filter of [{}, ...filters]) {
              const query = queryOf(domains, 10, filter)
              assert.deepEqual(inOrder(await listAll(storage.log, query)), inOrder(await listAll(model, query)))
            }
            assert.equal(
              (await listAll(storage.log, queryOf(domains, 100))).filter(
                (event) => foldCase(event.recipient) === foldCase(address),
              ).length,
              new Set(
                later
                  .filter(({ event }) => foldCase(event.recipient) === foldCase(address))
                  .map((sentAgain) => `${sentAgain.domainNumber} ${toFingerprint(sentAgain)}`),
              ).size,
            )
          },
        ),
        { numRuns },
      )
    })
  })
}

const NOTHING = { events: 0, units: 0 }

export async function eraseAll(log: EventLog, erasure: Erasure): Promise<{ events: number; units: number }> {
  const units = new Set<string>()
  let events = 0
  let position: string | undefined
  do {
    const { removed, unit, next } = await log.erase(erasure, position)
    events += removed
    if (unit !== undefined && removed > 0) units.add(unit)
    position = next
  } while (position !== undefined)
  return { events, units: units.size }
}

function sent(recipient: string, domain: LogDomain, timestamp: number, index: number): AttributedEvent {
  const { domainNumber, event } = burst(index, domain, timestamp)
  return { domainNumber, event: { ...event, id: `${recipient} ${index}`, recipient } }
}

function toFingerprint({ event }: AttributedEvent): string {
  return fingerprint(event)
}

async function fingerprints(log: EventLog, domains: readonly LogDomain[]): Promise<readonly string[]> {
  return (await listAll(log, queryOf(domains, 1000))).map(fingerprint).sort()
}

async function countHours(log: TestedLog, domainNumbers: readonly number[]): Promise<Record<string, number>> {
  const range = { domainNumbers, filters: {}, fromHour: BASE_HOUR, toHour: BASE_HOUR + 240, group: 'domain' } as const
  const counts: Record<string, number> = {}
  for await (const some of log.series(range)) {
    for (const { hour, key, count } of some) counts[`${hour} ${key}`] = (counts[`${hour} ${key}`] ?? 0) + count
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}
