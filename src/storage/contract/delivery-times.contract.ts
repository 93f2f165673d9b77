/** The contract of every event log for the time from reception to delivery. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailEvent } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain } from '../../events/log/log-query.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { BUDGET_MS, burst, freshDomains, type OpenLog } from './log-scene.ts'

const DAY = 86_400

function message(
  index: number,
  domain: LogDomain,
  { receivedAt, deliveredAt, ...fields }: { receivedAt?: number; deliveredAt: number } & Partial<EmailEvent>,
): readonly AttributedEvent[] {
  const { domainNumber, event } = burst(index, domain)
  const step = (type: 'Reception' | 'Delivery', timestamp: number, own: Partial<EmailEvent> = {}) => ({
    domainNumber,
    event: { ...event, ...fields, ...own, type, timestamp },
  })
  const reception = receivedAt === undefined ? [] : [step('Reception', receivedAt)]
  return [...reception, step('Delivery', deliveredAt, { provider_name: index % 2 === 0 ? 'Gmail' : 'Web.de' })]
}

export function deliveryTimesContract(open: OpenLog): void {
  describe('times from reception to delivery', () => {
    test('are those of the newest deliveries of each part of the window, however long ago they were received', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const start = BASE_TIMESTAMP + 10 * DAY
      await storage.log.append([
        ...message(0, domain, { receivedAt: start + 1, deliveredAt: start + 3 }),
        // Received a minute, hours and days before; and never.
        ...message(1, domain, { receivedAt: start + 40, deliveredAt: start + 100 }),
        ...message(2, domain, { receivedAt: start + 200 - 20_000, deliveredAt: start + 200 }),
        ...message(3, domain, { receivedAt: start + 300 - 4 * DAY, deliveredAt: start + 300 }),
        ...message(4, domain, { deliveredAt: start + 400 }),
        // One id for two recipients, of which one has the other as a part.
        ...message(5, domain, {
          id: 'mailing',
          recipient: 'a@b.test',
          receivedAt: start + 500,
          deliveredAt: start + 507,
        }),
        ...message(7, domain, {
          id: 'mailing',
          recipient: 'aa@b.test',
          receivedAt: start + 490,
          deliveredAt: start + 509,
        }),
        // Another domain, and another time.
        ...message(8, other, { receivedAt: start, deliveredAt: start + 5 }),
        ...message(9, domain, { receivedAt: start + 2000, deliveredAt: start + 2001 }),
      ])
      const query = {
        domains: [domain],
        window: { startTimestamp: start, endTimestamp: start + 999 },
        parts: 10,
        perPart: 10,
        budgetMs: BUDGET_MS,
      }
      const { times, sampled, isCut } = await storage.log.deliveryTimes(query)
      assert.deepEqual(
        times
          .map(({ timestamp, provider, seconds }) => [timestamp - start, provider, seconds])
          .sort(([a], [b]) => Number(a) - Number(b)),
        [
          [3, 'Gmail', 2],
          [100, 'Web.de', 60],
          [200, 'Gmail', 20_000],
          [300, 'Web.de', 4 * DAY],
          [507, 'Web.de', 7],
          [509, 'Web.de', 19],
        ],
      )
      assert.deepEqual([sampled, isCut], [7, false])
      // Most parts of a longer window have none, and some hours are in two parts.
      const long = { startTimestamp: start - 3 * DAY - 17, endTimestamp: start + 3 * DAY }
      const ofLong = await storage.log.deliveryTimes({ ...query, window: long, parts: 70 })
      assert.deepEqual([ofLong.sampled, ofLong.times.length], [8, 7])
      const newest = await storage.log.deliveryTimes({ ...query, parts: 1, perPart: 1 })
      assert.deepEqual(newest.times, [{ timestamp: start + 509, provider: 'Web.de', seconds: 19 }])
    })
  })
}
