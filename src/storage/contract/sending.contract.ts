/** The contract of every event log for the origin of a message and the next attempt: fields that not every reader may see. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type EventExtension, OTHER_ORIGINS } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain, ShownFields } from '../../events/log/log-query.ts'
import { ORIGINS_PER_DAY } from '../../stats/series.ts'
import { eraseAll } from './erasure.contract.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { burst, freshDomains, listAll, listMessage, type OpenLog, parse, queryOf } from './log-scene.ts'
import { countAll } from './series.contract.ts'

const BASE_HOUR = BASE_TIMESTAMP / 3600
const ATTEMPT = { next_attempt: BASE_TIMESTAMP + 900 }
const ORIGIN = { sending_address: '2001:db8::25', sending_source: 'mta-1 "a"', sending_pool: 'bulk' }
const SHOWN: Readonly<Record<ShownFields, EventExtension>> = {
  interface: {},
  attempts: ATTEMPT,
  sending: { ...ATTEMPT, ...ORIGIN },
}

const sent = (index: number, domain: LogDomain, extension?: EventExtension): AttributedEvent => ({
  ...burst(index, domain),
  ...(extension && { extension }),
})

/** `openEmpty`: for the test that erases, where an erasure takes longer the more there is. */
export function sendingContract(open: OpenLog, openEmpty = open): void {
  describe('the origin and the next attempt of an event', () => {
    test('are returned as far as they are asked for, by every way to read events', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const start = await storage.log.arrivals.last()
      const { event } = burst(1, domain)
      await storage.log.append([sent(1, domain, { ...ATTEMPT, ...ORIGIN })])
      // Twice: the second time from the cache of the newest pages, in which none must find the text for another.
      for (const shown of ['sending', 'interface', 'attempts', 'sending', 'interface'] as const) {
        const expected = [{ ...event, ...SHOWN[shown] }]
        const query = { ...queryOf([domain], 10), shown }
        assert.deepEqual(await listAll(storage.log, query), expected)
        assert.deepEqual(await listAll(storage.log, { ...query, filters: { types: ['Delivery'] } }), expected)
        const message = await storage.log.listMessage({ ...query, messageId: event.id })
        assert.deepEqual(message.events.map(parse), expected)
        const arrived = await storage.log.arrivals.list({ ...query, after: start })
        assert.deepEqual(
          arrived.events.map(({ text }) => parse(text)),
          expected,
        )
      }
      assert.deepEqual(await listAll(storage.log, queryOf([domain], 10)), [event])
      assert.deepEqual(await listMessage(storage.log, [domain], event.id), [event])
    })

    test('are not part of what makes two events the same: the first one stays', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const variants = [
        { ...ATTEMPT, ...ORIGIN },
        undefined,
        { sending_address: '192.0.2.1' },
        { next_attempt: BASE_TIMESTAMP },
      ]
      for (const [owner, order] of [
        [domain, variants],
        [other, variants.toReversed()],
      ] as const) {
        const { stored, duplicates } = await storage.log.append(order.map((extension) => sent(1, owner, extension)))
        assert.deepEqual([stored, duplicates], [1, 3])
        assert.equal((await storage.log.append(order.map((extension) => sent(1, owner, extension)))).duplicates, 4)
        const [found] = await listAll(storage.log, { ...queryOf([owner], 10), shown: 'sending' })
        assert.deepEqual(found, { ...burst(1, owner).event, ...order[0] })
      }
      const range = { domainNumbers: [domain.number], filters: {}, fromHour: BASE_HOUR, toHour: BASE_HOUR + 1 }
      assert.deepEqual(await countAll(storage.log, { ...range, group: 'sending_address' }), {
        [`${BASE_HOUR} ${ORIGIN.sending_address}`]: 1,
      })
    })

    test('a domain is counted by a limited number of origins in a day, the others together, and nothing is lost', async () => {
      await using storage = await openEmpty()
      const [domain, other] = freshDomains()
      const origins = Array.from({ length: ORIGINS_PER_DAY + 20 }, (_, index) => ({
        sending_address: `10.0.${index >> 8}.${index & 255}`,
      }))
      const events = origins.flatMap((origin, index) => [
        sent(index, domain, origin),
        sent(index + 1000, domain, origin),
      ])
      // In several transactions, and again after all: those that were counted by themselves still are.
      for (let at = 0; at < events.length; at += 100) await storage.log.append(events.slice(at, at + 100))
      await storage.log.append(origins.map((origin, index) => sent(index + 2000, domain, origin)))
      await storage.log.append([sent(1, other, origins.at(-1))])
      const range = {
        domainNumbers: [domain.number, other.number],
        filters: {},
        fromHour: BASE_HOUR,
        toHour: BASE_HOUR + 1,
      }
      const counts = await countAll(storage.log, { ...range, group: 'sending_address' })
      const last = origins.at(-1)?.sending_address ?? ''
      assert.equal(Object.keys(counts).length, ORIGINS_PER_DAY + 2)
      assert.equal(counts[`${BASE_HOUR} 10.0.0.0`], 3)
      assert.equal(counts[`${BASE_HOUR} ${OTHER_ORIGINS}`], 60)
      assert.equal(counts[`${BASE_HOUR} ${last}`], 1, 'the limit of one domain is not that of another')
      const byDomain = await countAll(storage.log, {
        ...range,
        group: 'domain',
        filters: { sendingAddresses: [last, '10.0.0.7'] },
      })
      assert.deepEqual(byDomain, { [`${BASE_HOUR} ${domain.number}`]: 3, [`${BASE_HOUR} ${other.number}`]: 1 })

      await eraseAll(storage.log, { what: 'recipient', address: 'user3@b.test' })
      assert.deepEqual(await countAll(storage.log, { ...range, group: 'sending_address' }), counts)
      await eraseAll(storage.log, { what: 'domains', domainNumbers: [domain.number] })
      assert.deepEqual(await countAll(storage.log, { ...range, group: 'sending_address' }), {
        [`${BASE_HOUR} ${last}`]: 1,
      })
    })
  })
}
