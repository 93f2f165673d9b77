/** What every event store promises, whatever it is built on. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import type { EventFilters, EventPosition, EventQuery } from '../../events/event-query.ts'
import type { AttributedEvent } from '../../events/event-store.ts'
import type { Storage } from '../storage.ts'
import { attributedEvents, BASE_TIMESTAMP, eventFilters } from './event-arbitraries.ts'
import { LogModel } from './log-model.ts'

type Events = Pick<Storage, 'events' | 'stats'>

const DOMAIN_NAME = 'a.test'
const EVERYTHING: EventFilters = { startTimestamp: 0, endTimestamp: 4_000_000_000 }

const FULL_EVENT: EmailEvent = {
  id: '0198c0de-0000-7000-8000-000000000001',
  timestamp: BASE_TIMESTAMP + 7,
  type: 'Bounce',
  domain_name: DOMAIN_NAME,
  recipient: 'jörg"\\@b.test',
  sender: '',
  from: '"Ärzte \u0000 \u202e 😀" <a@a.test>',
  subject: 'line\r\nbreak \t "quotes" \\ </script>',
  response_code: 550,
  response_content: '5.1.1 no such user',
  response_enhanced_code: '',
  provider_name: 'Google',
  peer_name: 'mx.b.test',
  bounce_classification: 'InvalidRecipient',
  num_attempts: 2,
  size: 12_345_678_901,
  service_message_id: 'sm-1',
  direction: 'outbound',
  campaign: null,
  reception_protocol: 'HTTP',
  delivery_protocol: 'ESMTP',
  tls_protocol_version: 'TLSv1.3',
  tls_cipher: 'TLS_AES_256_GCM_SHA384',
}

export function eventStoreContract(open: () => Promise<Events & AsyncDisposable>): void {
  describe('an event store', () => {
    test('returns each of the 23 fields as it was sent, and nothing that was not', async () => {
      await using storage = await open()
      const bare: EmailEvent = {
        id: 'x',
        timestamp: BASE_TIMESTAMP,
        type: 'Reception',
        domain_name: DOMAIN_NAME,
        recipient: 'u@b.test',
      }
      await storage.events.append(own([FULL_EVENT, bare]))
      assert.equal(Object.keys(FULL_EVENT).length, 23)
      assert.deepEqual(await listAll(storage, EVERYTHING, 10), [FULL_EVENT, bare])
    })

    test('returns what the tracking endpoints add to an event, and tells events apart by it', async () => {
      await using storage = await open()
      const event: EmailEvent = { ...FULL_EVENT, type: 'Click' }
      const extensions = [{}, { url: 'https://a.test/?"ä' }, { url: 'https://a.test/?"ä', machine: 'head' }]
      const events = extensions.map((extension) => ({ domainNumber: 1, event, extension }))
      assert.equal((await storage.events.append([...events, ...events])).stored, 3)
      const listed = await listAll(storage, EVERYTHING, 10)
      assert.deepEqual(
        listed,
        extensions.toReversed().map((extension) => ({ ...event, ...extension })),
      )
    })

    test('keeps events that differ in a single field, and an equal one only once', async () => {
      await using storage = await open()
      const variants = Object.keys(FULL_EVENT)
        .filter((field) => field !== 'domain_name')
        .map(changeField)
      const first = await storage.events.append(own([FULL_EVENT, ...variants, FULL_EVENT]))
      assert.deepEqual(first, { stored: variants.length + 1, duplicates: 1, expired: [] })
      const again = await storage.events.append(own([...variants, FULL_EVENT]))
      assert.deepEqual(again, { stored: 0, duplicates: variants.length + 1, expired: [] })
      assert.equal((await listAll(storage, EVERYTHING, 7)).length, variants.length + 1)
    })

    test('answers like a plain list in memory for random events, filters and page sizes', async () => {
      await using storage = await open()
      const step = fc.record({
        append: attributedEvents,
        filters: eventFilters,
        limit: fc.integer({ min: 1, max: 30 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
          const model = new LogModel()
          const domains = freshDomains()
          for (const { append, filters, limit } of steps) {
            const events = append.map(({ domainNumber, event }) => ({
              domainNumber: domains[domainNumber] ?? 0,
              event,
            }))
            const { stored, duplicates } = await storage.events.append(events)
            assert.deepEqual({ stored, duplicates }, model.append(events))
            for (const domain of domains) {
              assert.deepEqual(await listAll(storage, filters, limit, domain), model.list(domain, filters))
              assert.deepEqual(await listMessage(storage, domain, 'm1'), model.listByMessage(domain, 'm1'))
            }
          }
          await assertCounts(storage, model, domains)
        }),
        { numRuns: 300 },
      )
    })

    test('paging returns each event of the first page’s moment exactly once, whatever arrives meanwhile', async () => {
      await using storage = await open()
      const scenario = fc.record({
        before: attributedEvents,
        arrivals: fc.array(attributedEvents, { maxLength: 12 }),
        filters: eventFilters,
        limit: fc.integer({ min: 1, max: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ before, arrivals, filters, limit }) => {
          const [domain] = freshDomains()
          const append = (events: readonly AttributedEvent[]) =>
            storage.events.append(events.map(({ event }) => ({ domainNumber: domain, event })))
          const model = new LogModel()
          model.append(
            own(
              before.map(({ event }) => event),
              domain,
            ),
          )
          await append(before)
          const snapshot = model.list(domain, filters).map(fingerprint)
          const seen: string[] = []
          let after: EventPosition | undefined
          let round = 0
          do {
            const page = await storage.events.list(query(filters, limit, domain, after))
            seen.push(...page.events.map((text) => fingerprint(JSON.parse(text) as EmailEvent)))
            after = page.next
            const arriving = arrivals[round++]
            if (arriving) await append(arriving)
          } while (after)
          assert.equal(new Set(seen).size, seen.length, 'no event is returned twice')
          assert.deepEqual(
            seen.filter((event) => snapshot.includes(event)),
            snapshot,
            'all of the snapshot, in its order',
          )
        }),
        { numRuns: 300 },
      )
    })

    test('pages through 50,000 events of one and the same second', async () => {
      await using storage = await open()
      const events = Array.from({ length: 50_000 }, (_, index) => burstEvent(index))
      for (let start = 0; start < events.length; start += 10_000)
        await storage.events.append(own(events.slice(start, start + 10_000)))
      const listed = await listAll(storage, { startTimestamp: BASE_TIMESTAMP, endTimestamp: BASE_TIMESTAMP }, 1000)
      assert.deepEqual(
        listed.map((event) => event.id),
        events.map((event) => event.id).reverse(),
      )
    })

    test('a search whose budget is used up answers with a position to go on from, and reaches the end', async () => {
      await using storage = await open()
      const events = Array.from({ length: 5000 }, (_, index) => burstEvent(index))
      await storage.events.append(own(events))
      const filters = { ...EVERYTHING, subject: '7 ' }
      const texts: string[] = []
      let pages = 0
      let after: EventPosition | undefined
      do {
        const page = await storage.events.list({ ...query(filters, 1000, 1, after), budgetMs: 0 })
        texts.push(...page.events)
        after = page.next
        pages++
      } while (after)
      assert.equal(texts.length, 500)
      assert.ok(pages > 1, 'the search was interrupted')
    })

    test('the end is where no position is given, also when the last page is exactly full', async () => {
      await using storage = await open()
      await storage.events.append(own([burstEvent(1), burstEvent(2)]))
      assert.equal((await storage.events.list(query(EVERYTHING, 2, 1))).next, undefined)
      assert.notEqual((await storage.events.list(query(EVERYTHING, 1, 1))).next, undefined)
    })

    test('concurrent appends of the same events store each of them once', async () => {
      await using storage = await open()
      const events = own(Array.from({ length: 300 }, (_, index) => burstEvent(index)))
      const results = await Promise.all(Array.from({ length: 10 }, () => storage.events.append(events)))
      assert.equal(sum(results.map((result) => result.stored)), 300)
      assert.equal(sum(results.map((result) => result.duplicates)), 2700)
      const counts = (await storage.stats.countsByDomain([1])).get(1)
      assert.equal(counts?.delivery, 300)
    })
  })
}

function own(events: readonly EmailEvent[], domainNumber = 1): readonly AttributedEvent[] {
  return events.map((event) => ({ domainNumber, event }))
}

function burstEvent(index: number): EmailEvent {
  return {
    id: `message-${index}`,
    timestamp: BASE_TIMESTAMP,
    type: 'Delivery',
    domain_name: DOMAIN_NAME,
    recipient: `user${index}@b.test`,
    subject: `number ${index} of many`,
    response_code: 250,
  }
}

function changeField(field: string): EmailEvent {
  const value = FULL_EVENT[field as keyof EmailEvent]
  if (field === 'type') return { ...FULL_EVENT, type: 'Delivery' }
  const changed = typeof value === 'number' ? value + 1 : `${value ?? ''}x`
  return { ...FULL_EVENT, [field]: changed }
}

function query(filters: EventFilters, limit: number, domainNumber: number, after?: EventPosition): EventQuery {
  return { domainNumber, domainName: DOMAIN_NAME, filters, limit, budgetMs: 60_000, ...(after && { after }) }
}

async function listAll(
  storage: Events,
  filters: EventFilters,
  limit: number,
  domainNumber = 1,
): Promise<readonly EmailEvent[]> {
  const texts: string[] = []
  let after: EventPosition | undefined
  do {
    const page = await storage.events.list(query(filters, limit, domainNumber, after))
    assert.ok(page.events.length <= limit)
    texts.push(...page.events)
    after = page.next
  } while (after)
  return texts.map((text) => JSON.parse(text) as EmailEvent)
}

async function listMessage(storage: Events, domainNumber: number, messageId: string): Promise<readonly EmailEvent[]> {
  const texts = await storage.events.listByMessage(domainNumber, DOMAIN_NAME, messageId)
  return texts.map((text) => JSON.parse(text) as EmailEvent)
}

async function assertCounts(storage: Events, model: LogModel, domains: readonly number[]): Promise<void> {
  const counts = await storage.stats.countsByDomain(domains)
  for (const domainNumber of domains) {
    const expected = EVENT_TYPES.filter((type) => ['Bounce', 'Delivery', 'Reception'].includes(type)).map((type) => [
      type.toLowerCase(),
      model.count(domainNumber, type),
    ])
    const { changedAtMs: _, ...found } = counts.get(domainNumber) ?? {
      bounce: 0,
      delivery: 0,
      reception: 0,
      changedAtMs: 0,
    }
    assert.deepEqual(found, { bounce: 0, delivery: 0, reception: 0, ...Object.fromEntries(expected) })
  }
}

/** The same text for the same event, whatever the order of its fields. */
function fingerprint(event: EmailEvent): string {
  return JSON.stringify(Object.entries(event).sort(([a], [b]) => (a < b ? -1 : 1)))
}

let lastDomain = 0
/** Two domains that no run before has used, one of them with a number too large for 16 bits. */
function freshDomains(): readonly [number, number] {
  lastDomain += 1
  return [lastDomain, 70_000 + lastDomain]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
