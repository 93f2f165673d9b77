/** What every log over several domains promises, whatever it is built on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { EmailEvent } from '../../events/event.ts'
import type { EventPosition } from '../../events/event-query.ts'
import type { AttributedEvent } from '../../events/event-store.ts'
import type { LogConditions, LogDomain, LogWindow } from '../../events/log-query.ts'
import type { ArrivalPlace } from '../../events/tenant-log.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Storage } from '../storage.ts'
import { attributedEvents, BASE_TIMESTAMP, eventFilters, logConditions } from './event-arbitraries.ts'
import { LogModel } from './log-model.ts'

type Log = Pick<Storage, 'events' | 'log'>

const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 4_000_000_000 }
const BUDGET_MS = 60_000

const window: fc.Arbitrary<LogWindow> = eventFilters.map(({ startTimestamp, endTimestamp }) => ({
  startTimestamp,
  endTimestamp,
}))

/** Which of the two domains somebody asks for. */
const asked = fc.subarray([0, 1], { minLength: 1 })

type OpenLog = () => Promise<Log & AsyncDisposable>

export function tenantLogContract(open: OpenLog, { numRuns = 80 } = {}): void {
  describe('a log over several domains', () => {
    test('answers like a plain list in memory for random events, conditions, windows and page sizes', async () => {
      await using storage = await open()
      const question = fc.record({ conditions: logConditions, window, limit: fc.integer({ min: 1, max: 30 }), asked })
      const step = fc.record({ append: attributedEvents, questions: fc.array(question, { maxLength: 4 }) })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
          const model = new LogModel()
          const domains = freshDomains()
          for (const { append, questions } of steps) {
            const events = attribute(append, domains)
            model.append(events)
            await storage.events.append(events)
            for (const { conditions, window: times, limit, asked: places } of questions) {
              const own = places.map((place) => domains[place] as LogDomain)
              const expected = model.listAcross(own, conditions, times)
              assert.deepEqual(await listAll(storage, own, conditions, times, limit), expected)
            }
            const message = (await storage.log.listByMessage(domains, 'm1', 1000)).map(parse)
            const expected = model.listAcross(domains, { messageId: 'm1' }, ALL_TIMES)
            assert.deepEqual(message, expected)
            const newest = (await storage.log.listByMessage(domains, 'm1', 2)).map(parse)
            assert.deepEqual(newest, expected.slice(0, 2))
          }
        }),
        { numRuns },
      )
    })

    test('paging returns each event of the first page’s moment exactly once, whatever arrives meanwhile', async () => {
      await using storage = await open()
      const scenario = fc.record({
        before: attributedEvents,
        arrivals: fc.array(attributedEvents, { maxLength: 12 }),
        conditions: logConditions,
        limit: fc.integer({ min: 1, max: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ before, arrivals, conditions, limit }) => {
          const domains = freshDomains()
          const model = new LogModel()
          model.append(attribute(before, domains))
          await storage.events.append(attribute(before, domains))
          const snapshot = model.listAcross(domains, conditions, ALL_TIMES).map(fingerprint)
          const seen: string[] = []
          let after: EventPosition | undefined
          let round = 0
          do {
            const page = await storage.log.list(query(domains, conditions, ALL_TIMES, limit, after))
            seen.push(...page.events.map(parse).map(fingerprint))
            after = page.next
            const arriving = arrivals[round++]
            if (arriving) await storage.events.append(attribute(arriving, domains))
          } while (after)
          assert.equal(new Set(seen).size, seen.length, 'no event is returned twice')
          assert.deepEqual(
            seen.filter((event) => snapshot.includes(event)),
            snapshot,
            'all of the snapshot, in its order',
          )
        }),
        { numRuns },
      )
    })

    test('a search whose budget is used up answers with a position to go on from, and reaches the end', async () => {
      await using storage = await open()
      const [one, other] = freshDomains()
      const events = Array.from({ length: 9000 }, (_, index) => burst(index, index % 3 === 0 ? one : other))
      await storage.events.append(events)
      for (const domains of [[one], [one, other]]) {
        const texts: string[] = []
        let pages = 0
        let after: EventPosition | undefined
        do {
          const asking = query(domains, { subject: '7 ' }, ALL_TIMES, 1000, after)
          const page = await storage.log.list({ ...asking, budgetMs: 0 })
          texts.push(...page.events)
          after = page.next
          pages++
        } while (after)
        assert.equal(texts.length, domains.length === 1 ? 300 : 900)
        assert.equal(new Set(texts).size, texts.length)
        assert.ok(pages > 1, 'the search was interrupted')
      }
    })

    test('nothing is found for nobody', async () => {
      await using storage = await open()
      await storage.events.append([burst(1, { number: 1, name: 'a.test' })])
      assert.deepEqual(await storage.log.list(query([], {}, ALL_TIMES, 10)), { events: [] })
      assert.deepEqual(await storage.log.listByMessage([], 'message-1', 10), [])
    })
  })

  describe('following arrivals', () => {
    test('returns each event exactly once, late ones too, wherever it is taken up again', async () => {
      await using storage = await open()
      const step = fc.record({ append: attributedEvents, limit: fc.integer({ min: 1, max: 40 }), isRead: fc.boolean() })
      const scenario = fc.record({
        steps: fc.array(step, { minLength: 1, maxLength: 6 }),
        conditions: logConditions,
        asked,
      })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ steps, conditions, asked: places }) => {
          const domains = freshDomains()
          const own = places.map((place) => domains[place] as LogDomain)
          const model = new LogModel()
          const start = await storage.log.lastArrival()
          let place = start
          const seen: string[] = []
          const takenUp: ArrivalPlace[] = []
          for (const { append, limit, isRead } of steps) {
            const events = attribute(append, domains)
            model.append(events)
            await storage.events.append(events)
            if (isRead) place = await follow(storage, own, conditions, place, limit, seen, takenUp)
          }
          await follow(storage, own, conditions, place, 50, seen, takenUp)
          const expected = model.listArrivals(own, conditions).map(fingerprint)
          assert.deepEqual(seen.toSorted(), expected.toSorted())
          // From the place of each event all that came after it, and nothing else.
          const middle = Math.floor(seen.length / 2)
          for (const at of new Set([0, middle, seen.length - 1].filter((index) => index >= 0 && index < seen.length))) {
            const rest: string[] = []
            await follow(storage, own, conditions, takenUp[at] as ArrivalPlace, 50, rest, [])
            assert.deepEqual(rest.toSorted(), seen.slice(at + 1).toSorted())
          }
          const everything: string[] = []
          await follow(storage, own, conditions, start, 50, everything, [])
          assert.deepEqual(everything.toSorted(), expected.toSorted())
        }),
        { numRuns: numRuns / 2 },
      )
    })

    test('within a day the order is that of arrival', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const start = await storage.log.lastArrival()
      const events = [5, 3, 9, 1].map((second) => burst(second, domain, BASE_TIMESTAMP + second))
      for (const event of events) await storage.events.append([event])
      const { events: arrived } = await storage.log.listArrivals(arrivalsAfter([domain], {}, start, 10))
      assert.deepEqual(
        arrived.map(({ text }) => parse(text).id),
        ['message-5', 'message-3', 'message-9', 'message-1'],
      )
    })

    test('who listens hears of each append, until they do not want to any more', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      let heard = 0
      {
        using _listening = storage.log.onArrival(() => heard++)
        await storage.events.append([burst(1, domain)])
        assert.equal(heard, 1)
      }
      await storage.events.append([burst(2, domain)])
      assert.equal(heard, 1)
    })

    test('what is no place is refused', async () => {
      await using storage = await open()
      for (const after of ['', 'rubbish!', '1.2', '1.zzzzzzzzzz-1', '.'.repeat(100)]) {
        await assert.rejects(
          storage.log.listArrivals(arrivalsAfter([], {}, after, 1)),
          (error) => error instanceof AppError && error.code === 'invalid_cursor',
          after,
        )
      }
    })
  })
}

/** For a tenant with many domains. */
export function manyDomainsContract(open: OpenLog): void {
  test('lists 1000 domains in one order, and one of them among the others', async () => {
    await using storage = await open()
    const domains = Array.from({ length: 1000 }, (_, index) => ({ number: 5000 + index, name: `d${index}.test` }))
    const foreign = { number: 9999, name: 'foreign.test' }
    const events = Array.from({ length: 6000 }, (_, index) => {
      const domain = index % 6 === 0 ? foreign : (domains[(index * 7) % 1000] as LogDomain)
      return burst(index, domain, BASE_TIMESTAMP + ((index * 13) % 50_000))
    })
    const model = new LogModel()
    model.append(events)
    await storage.events.append(events)
    for (const own of [domains, domains.slice(3, 4), [foreign], [...domains, foreign]]) {
      const expected = model.listAcross(own, {}, ALL_TIMES)
      assert.deepEqual(await listAll(storage, own, {}, ALL_TIMES, 700), expected)
    }
  })
}

async function follow(
  { log }: Log,
  domains: readonly LogDomain[],
  conditions: LogConditions,
  from: ArrivalPlace,
  limit: number,
  seen: string[],
  places: ArrivalPlace[],
): Promise<ArrivalPlace> {
  let after = from
  for (;;) {
    const { events, place, hasMore } = await log.listArrivals(arrivalsAfter(domains, conditions, after, limit))
    assert.ok(events.length <= limit)
    seen.push(...events.map(({ text }) => fingerprint(parse(text))))
    places.push(...events.map((event) => event.place))
    after = place
    if (!hasMore) return after
  }
}

function arrivalsAfter(domains: readonly LogDomain[], conditions: LogConditions, after: ArrivalPlace, limit: number) {
  return { domains, conditions, after, limit, budgetMs: BUDGET_MS }
}

function query(
  domains: readonly LogDomain[],
  conditions: LogConditions,
  times: LogWindow,
  limit: number,
  after?: EventPosition,
) {
  return { domains, conditions, window: times, limit, budgetMs: BUDGET_MS, ...(after && { after }) }
}

async function listAll(
  { log }: Log,
  domains: readonly LogDomain[],
  conditions: LogConditions,
  times: LogWindow,
  limit: number,
): Promise<readonly EmailEvent[]> {
  const found: EmailEvent[] = []
  let after: EventPosition | undefined
  do {
    const page = await log.list(query(domains, conditions, times, limit, after))
    assert.ok(page.events.length <= limit)
    found.push(...page.events.map(parse))
    after = page.next
  } while (after)
  return found
}

function attribute(events: readonly AttributedEvent[], domains: readonly LogDomain[]): readonly AttributedEvent[] {
  return events.map(({ domainNumber, event }) => ({ domainNumber: domains[domainNumber]?.number ?? 0, event }))
}

function burst(index: number, { number, name }: LogDomain, timestamp = BASE_TIMESTAMP): AttributedEvent {
  const message = { id: `message-${index}`, recipient: `user${index}@b.test`, subject: `number ${index} of many` }
  return { domainNumber: number, event: { ...message, timestamp, type: 'Delivery', domain_name: name } }
}

function parse(text: string): EmailEvent {
  return JSON.parse(text) as EmailEvent
}

/** The same text for the same event, whatever the order of its fields. */
function fingerprint(event: EmailEvent): string {
  return JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)))
}

let lastDomain = 100_000
/** Two domains that no run before has used. */
function freshDomains(): readonly [LogDomain, LogDomain] {
  lastDomain += 2
  return [
    { number: lastDomain, name: `a${lastDomain}.test` },
    { number: lastDomain + 1, name: `b${lastDomain}.test` },
  ]
}
