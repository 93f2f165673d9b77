/** The contract of every event log for storing and listing. */
import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import { type EmailEvent, EVENT_TYPES } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain, LogPosition } from '../../events/log/log-query.ts'
import { COUNTED_FIELDS } from '../../events/log/match-counts.ts'
import { AppError } from '../../lib/app-error.ts'
import { COUNTER_OF_TYPE } from '../../stats/domain-counts.ts'
import { attributedEvents, BASE_TIMESTAMP, logFilters, logWindow } from './event-arbitraries.ts'
import {
  ALL_TIMES,
  attribute,
  burst,
  byDomain,
  fingerprint,
  freshDomains,
  listAll,
  listMessage,
  type OpenLog,
  openModel,
  parse,
  queryOf,
  type TestedLog,
} from './log-scene.ts'

const NAME = 'a.test'
/** Another one for each test: engines may share a log among tests. */
let domain: LogDomain = { number: 1, name: NAME }

const FULL_EVENT: EmailEvent = {
  id: '0198c0de-0000-7000-8000-000000000001',
  timestamp: BASE_TIMESTAMP + 7,
  type: 'Bounce',
  domain_name: NAME,
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

/** Which of the two domains of a run are requested. */
const asked = fc.subarray([0, 1], { minLength: 1 })
const limit = fc.integer({ min: 1, max: 30 })

export interface LogContractOptions {
  /** Number of random scenarios for each property. */
  readonly numRuns?: number
  /** Tens of thousands of events as well, and thousands of many domains; once for each engine is enough. */
  readonly isThorough?: boolean
  /** Events of different domains in the same second and call may have another order than in the call. */
  readonly isOrderedWithinDomains?: boolean
  /** Opens a log without events, if `open` does not. */
  readonly openEmpty?: OpenLog
  /** Opens a log for tests that store a few events, if it need not be the one of `open`. */
  readonly openForFew?: OpenLog
  /** The log looks at the time after a few events: a tenth of them are then enough to use up the budget of a search. */
  readonly isInterruptedEarly?: boolean
}

export function eventLogContract(open: OpenLog, options: LogContractOptions = {}): void {
  const { numRuns = 150, isThorough = true, isOrderedWithinDomains = false } = options
  const { openEmpty = open, openForFew = open, isInterruptedEarly = false } = options
  beforeEach(() => {
    domain = { number: freshDomains()[0].number, name: NAME }
  })
  const inOrder = isOrderedWithinDomains ? byDomain : (events: readonly EmailEvent[]) => events
  describe('an event log', () => {
    test('returns each of the 23 fields as it was sent, and no others', async () => {
      await using storage = await openForFew()
      const { id, timestamp, type, domain_name, recipient } = FULL_EVENT
      const bare: EmailEvent = { id, timestamp: timestamp - 1, type, domain_name, recipient }
      await storage.log.append(own(FULL_EVENT, bare))
      assert.equal(Object.keys(FULL_EVENT).length, 23)
      assert.deepEqual(await listAll(storage.log, queryOf([domain], 10)), [FULL_EVENT, bare])
    })

    test('returns the fields that tracking adds to an event, and distinguishes events by them', async () => {
      await using storage = await openForFew()
      const event: EmailEvent = { ...FULL_EVENT, type: 'Click' }
      const extensions = [{}, { url: 'https://a.test/?"ä' }, { url: 'https://a.test/?"ä', machine: 'head' }]
      const events = extensions.map((extension) => ({ domainNumber: domain.number, event, extension }))
      assert.equal((await storage.log.append([...events, ...events])).stored, 3)
      assert.deepEqual(
        await listAll(storage.log, queryOf([domain], 10)),
        extensions.toReversed().map((extension) => ({ ...event, ...extension })),
      )
    })

    test('stores events that differ in a single field, and equal ones only once', async () => {
      await using storage = await openForFew()
      const variants = Object.keys(FULL_EVENT)
        .filter((field) => field !== 'domain_name')
        .map(changeField)
      const { subject: _, ...without } = FULL_EVENT
      const all = [...variants, without as EmailEvent, { ...FULL_EVENT, subject: '' }]
      const first = await storage.log.append(own(FULL_EVENT, ...all, FULL_EVENT))
      assert.deepEqual(first, { stored: all.length + 1, duplicates: 1, expired: [] })
      const again = await storage.log.append(own(...all, FULL_EVENT))
      assert.deepEqual(again, { stored: 0, duplicates: all.length + 1, expired: [] })
      assert.equal((await listAll(storage.log, queryOf([domain], 7))).length, all.length + 1)
    })

    test('answers like the list in memory for random events, filters, windows, domains and page sizes', async () => {
      await using storage = await open()
      const shown = fc.constantFrom('interface', 'attempts', 'sending')
      const question = fc.record({ filters: logFilters, window: logWindow, limit, asked, shown })
      const step = fc.record({ append: attributedEvents, questions: fc.array(question, { maxLength: 4 }) })
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
          const model = openModel()
          const domains = freshDomains()
          for (const { append, questions } of steps) {
            const events = attribute(append, domains)
            assert.deepEqual(await storage.log.append(events), await model.append(events))
            for (const [at, { filters, window, limit: most, asked: indexes, shown }] of questions.entries()) {
              const query = { ...queryOf(pick(domains, indexes), most, filters, window), shown }
              assert.deepEqual(inOrder(await listAll(storage.log, query)), inOrder(await listAll(model, query)))
              // Counting reads the same pages: once for each step is enough.
              if (at > 0) continue
              const counted = { ...query, fields: COUNTED_FIELDS, bucketSeconds: 3600 }
              assert.deepEqual(await storage.log.count(counted), await model.count(counted))
            }
            for (const own of [domains, domains.slice(1)]) {
              const expected = inOrder(await listMessage(model, own, 'm1'))
              assert.deepEqual(inOrder(await listMessage(storage.log, own, 'm1')), expected)
              assert.deepEqual(inOrder(await listMessage(storage.log, own, 'm1', 2)), expected)
            }
          }
          await assertCounts(storage.log, model, domains)
        }),
        { numRuns },
      )
    })

    test('paging returns each event that was stored at the first page exactly once, whatever arrives meanwhile', async () => {
      await using storage = await open()
      const scenario = fc.record({
        before: attributedEvents,
        arrivals: fc.array(attributedEvents, { maxLength: 12 }),
        filters: logFilters,
        limit: fc.integer({ min: 1, max: 4 }),
        asked,
      })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ before, arrivals, filters, limit: most, asked: indexes }) => {
          const domains = freshDomains()
          const query = queryOf(pick(domains, indexes), most, filters)
          const model = openModel()
          await model.append(attribute(before, domains))
          await storage.log.append(attribute(before, domains))
          const snapshot = inOrder(await listAll(model, query)).map(fingerprint)
          const seen: EmailEvent[] = []
          let after: LogPosition | undefined
          let round = 0
          do {
            const page = await storage.log.list({ ...query, ...(after !== undefined && { after }) })
            seen.push(...page.events.map(parse))
            after = page.next
            const arriving = arrivals[round++]
            if (arriving) await storage.log.append(attribute(arriving, domains))
          } while (after !== undefined)
          assert.equal(new Set(seen.map(fingerprint)).size, seen.length, 'no event is returned twice')
          assert.deepEqual(
            inOrder(seen)
              .map(fingerprint)
              .filter((event) => snapshot.includes(event)),
            snapshot,
            'all of the snapshot, in its order',
          )
        }),
        { numRuns },
      )
    })

    if (isThorough) testBurst(open)

    test('a message to many recipients is listed in pages, newest first', async () => {
      await using storage = await open()
      const events = Array.from({ length: 6000 }, (_, index): AttributedEvent => {
        const { domainNumber, event } = burst(index, domain, BASE_TIMESTAMP + (index % 700))
        return { domainNumber, event: { ...event, id: index % 10 === 0 ? 'other' : 'mailing' } }
      })
      await storage.log.append(events)
      const model = openModel()
      await model.append(events)
      const expected = await listMessage(model, [domain], 'mailing')
      assert.equal(expected.length, 5400)
      assert.deepEqual(await listMessage(storage.log, [domain], 'mailing', 900), expected)
      assert.deepEqual(await listMessage(storage.log, [domain, freshDomains()[0]], 'mailing', 900), expected)
      for (const filters of [{ anyText: 'mailing' }, { messageId: 'mailing', recipient: 'user' }]) {
        assert.deepEqual(await listAll(storage.log, queryOf([domain], 900, filters)), expected)
      }
    })

    test('a search whose budget is used up answers with a position to continue from, and reaches the end', async () => {
      await using storage = await open()
      const [one, other] = freshDomains()
      const length = isInterruptedEarly ? 900 : 9000
      const events = Array.from({ length }, (_, index) => burst(index, index % 3 === 0 ? one : other))
      await storage.log.append(events)
      for (const domains of [[one], [one, other]]) {
        const texts: string[] = []
        let pages = 0
        let after: LogPosition | undefined
        do {
          const query = { ...queryOf(domains, 1000, { subject: '7 ' }), budgetMs: 0 }
          const page = await storage.log.list({ ...query, ...(after !== undefined && { after }) })
          assert.equal(page.searchedTo === undefined, page.next === undefined)
          texts.push(...page.events)
          after = page.next
          pages++
        } while (after !== undefined)
        assert.equal(texts.length, domains.length === 1 ? length / 30 : length / 10)
        assert.equal(new Set(texts).size, texts.length)
        assert.ok(pages > 1, 'the search was interrupted')
      }
    })

    test('a count whose budget is used up says how far it has come, and has counted everything from there on', async () => {
      await using storage = await open()
      const length = isInterruptedEarly ? 1200 : 12_000
      const events = Array.from({ length }, (_, index) => burst(index, domain, BASE_TIMESTAMP + index))
      for (let at = 0; at < length; at += length / 3) await storage.log.append(events.slice(at, at + length / 3))
      const query = { domains: [domain], filters: {}, window: ALL_TIMES, fields: ['type'], bucketSeconds: 600 } as const
      const all = await storage.log.count({ ...query, budgetMs: 60_000 })
      const values = [{ value: 'Delivery', count: length }]
      assert.deepEqual(all.fields, [{ field: 'type', values, isCut: false, isNewestOnly: false }])
      assert.equal(all.countedTo, undefined)
      assert.equal(sumOf(all.buckets), length)
      const some = await storage.log.count({ ...query, budgetMs: 0 })
      const from = some.countedTo ?? 0
      assert.ok(some.fields.every(({ isNewestOnly }) => isNewestOnly === (some.countedTo !== undefined)))
      const later = events.filter(({ event }) => event.timestamp > from).length
      // A part of the second itself may be counted, and has one event here.
      assert.ok(some.total >= later && some.total <= later + 1, `${some.total} of ${later}`)
      assert.equal(sumOf(some.buckets), some.total)
    })

    test('the last page has no next position, also when it is exactly full', async () => {
      await using storage = await openForFew()
      await storage.log.append([burst(1, domain), burst(2, domain)])
      assert.equal((await storage.log.list(queryOf([domain], 2))).next, undefined)
      assert.notEqual((await storage.log.list(queryOf([domain], 1))).next, undefined)
    })

    test('lists 1000 domains in one order, and a single one of them', async () => {
      await using storage = await open()
      const domains = Array.from({ length: 1000 }, (_, index) => ({ number: 5000 + index, name: `d${index}.test` }))
      const foreign = { number: 9999, name: 'foreign.test' }
      // Each domain has an event in either case, and they do not arrive in the order of their times.
      const [length, seconds] = isThorough ? [6000, 50_000] : [2000, 17_000]
      const events = Array.from({ length }, (_, index) => {
        const domain = index % 6 === 0 ? foreign : (domains[(index * 7) % 1000] as LogDomain)
        return burst(index, domain, BASE_TIMESTAMP + ((index * 13) % seconds))
      })
      const model = openModel()
      await model.append(events)
      await storage.log.append(events)
      for (const own of [domains, domains.slice(3, 4), [foreign], [...domains, foreign]]) {
        const query = queryOf(own, 700)
        assert.deepEqual(inOrder(await listAll(storage.log, query)), inOrder(await listAll(model, query)))
      }
    })

    test('a search of no domains finds nothing', async () => {
      await using storage = await openForFew()
      await storage.log.append([burst(1, domain)])
      assert.deepEqual(await storage.log.list(queryOf([], 10)), { events: [] })
      assert.deepEqual(await listMessage(storage.log, [], 'message-1'), [])
    })

    test('a position that the engine did not issue is refused', async () => {
      await using storage = await openForFew()
      await storage.log.append([burst(1, domain)])
      for (const after of ['', 'rubbish', '1', '1.x', '.', '-1.1', '9'.repeat(100)]) {
        await assert.rejects(
          storage.log.list({ ...queryOf([domain], 1), after }),
          (error) => error instanceof AppError && error.code === 'invalid_cursor',
          after,
        )
      }
    })

    test('concurrent appends of the same events store each of them once', async () => {
      await using storage = await open()
      const events = Array.from({ length: 300 }, (_, index) => burst(index, domain))
      const results = await Promise.all(Array.from({ length: 10 }, () => storage.log.append(events)))
      assert.equal(sum(results.map(({ stored }) => stored)), 300)
      assert.equal(sum(results.map(({ duplicates }) => duplicates)), 2700)
      assert.equal((await storage.log.counts([domain.number])).get(domain.number)?.delivery, 300)
    })

    test('the newest time is that of the event with the latest timestamp, whenever it arrived', async () => {
      await using storage = await openEmpty()
      assert.equal(await storage.log.findNewestTimestamp(), undefined)
      await storage.log.append([burst(1, domain, BASE_TIMESTAMP + 200_000)])
      await storage.log.append([burst(2, domain, BASE_TIMESTAMP)])
      assert.equal(await storage.log.findNewestTimestamp(), BASE_TIMESTAMP + 200_000)
    })
  })
}

/** Engines may be slow here; the in-memory one sorts the whole log for each page. */
function testBurst(open: OpenLog): void {
  test('pages through 50,000 events of the same second', async () => {
    await using storage = await open()
    const events = Array.from({ length: 50_000 }, (_, index) => burst(index, domain))
    for (let start = 0; start < events.length; start += 10_000)
      await storage.log.append(events.slice(start, start + 10_000))
    const window = { startTimestamp: BASE_TIMESTAMP, endTimestamp: BASE_TIMESTAMP }
    const ids: string[] = []
    let after: LogPosition | undefined
    do {
      const page = await storage.log.list({
        ...queryOf([domain], 5000, {}, window),
        ...(after !== undefined && { after }),
      })
      ids.push(...page.events.map((text) => parse(text).id))
      after = page.next
    } while (after !== undefined)
    assert.deepEqual(ids, events.map(({ event }) => event.id).reverse())
  })
}

function own(...events: readonly EmailEvent[]): readonly AttributedEvent[] {
  return events.map((event) => ({ domainNumber: domain.number, event }))
}

function pick(domains: readonly LogDomain[], indexes: readonly number[]): readonly LogDomain[] {
  return indexes.map((index) => domains[index] as LogDomain)
}

function changeField(field: string): EmailEvent {
  const value = FULL_EVENT[field as keyof EmailEvent]
  if (field === 'type') return { ...FULL_EVENT, type: 'Delivery' }
  const changed = typeof value === 'number' ? value + 1 : `${value ?? ''}x`
  return { ...FULL_EVENT, [field]: changed }
}

/** Checks that the counters match the listed events. */
async function assertCounts(log: TestedLog, model: TestedLog, domains: readonly LogDomain[]): Promise<void> {
  const counts = await log.counts(domains.map(({ number }) => number))
  for (const domain of domains) {
    const listed = await listAll(model, queryOf([domain], 1000, {}, ALL_TIMES))
    for (const counter of ['bounce', 'delivery', 'reception'] as const) {
      const types = EVENT_TYPES.filter((type) => COUNTER_OF_TYPE[type] === counter)
      const expected = listed.filter(({ type }) => types.includes(type)).length
      assert.equal(counts.get(domain.number)?.[counter] ?? 0, expected, counter)
    }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function sumOf(counts: readonly { readonly count: number }[]): number {
  return counts.reduce((sum, { count }) => sum + count, 0)
}
