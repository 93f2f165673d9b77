/** The contract of every event log for the time from reception to delivery. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailEvent } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain } from '../../events/log/log-query.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { BUDGET_MS, burst, freshDomains, type OpenLog, type TestedLog } from './log-scene.ts'

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

/** Another reception of the message with this number. */
function receivedAgain(index: number, domain: LogDomain, timestamp: number): readonly AttributedEvent[] {
  return message(index, domain, { receivedAt: timestamp, deliveredAt: timestamp }).slice(0, 1)
}

/** Of all deliveries of a week, as one part: when after `start` each was, and how long it took. */
async function secondsOf(log: TestedLog, domains: readonly LogDomain[], start: number) {
  const window = { startTimestamp: start, endTimestamp: start + 7 * DAY }
  const { times, isCut } = await log.deliveryTimes({ domains, window, parts: 1, perPart: 50, budgetMs: BUDGET_MS })
  assert.equal(isCut, false)
  return times.map(({ timestamp, seconds }) => [timestamp - start, seconds]).sort(([a], [b]) => Number(a) - Number(b))
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

    test('begin with the first reception within a week before each delivery', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const start = BASE_TIMESTAMP + 20 * DAY
      const received = (index: number, ago: number) => receivedAgain(index, domain, start - ago)
      await storage.log.append([
        // Hours and minutes before its delivery, and too long before.
        ...[9 * DAY, 7200, 600].flatMap((ago) => received(0, ago)),
        ...message(0, domain, { deliveredAt: start }),
        // The longest time, and a second more; the delivery five days later is in the same part of the window.
        ...message(1, domain, { receivedAt: start - 7 * DAY + 1, deliveredAt: start + 1 }),
        ...message(2, domain, { receivedAt: start - 7 * DAY + 1, deliveredAt: start + 2 }),
        ...message(3, domain, { receivedAt: start - 4 * DAY, deliveredAt: start + 5 * DAY }),
        // Delivered twice, two days apart: the first reception is too long before the second delivery.
        ...[6 * DAY, 3 * DAY].flatMap((ago) => received(4, ago)),
        ...[start + 4, start + 2 * DAY + 4].flatMap((deliveredAt) => message(4, domain, { deliveredAt })),
        // At the same second; and not before the delivery.
        ...message(5, domain, { receivedAt: start + 5, deliveredAt: start + 5 }),
        ...message(6, domain, { receivedAt: start + 7, deliveredAt: start + 6 }),
        // Where an hour and a day end.
        ...[3600, 3601, DAY, DAY + 1].flatMap((seconds, index) =>
          message(10 + index, domain, { receivedAt: start + 10 + index - seconds, deliveredAt: start + 10 + index }),
        ),
      ])
      assert.deepEqual(await secondsOf(storage.log, [domain], start), [
        [0, 7200],
        [1, 7 * DAY],
        [4, 6 * DAY + 4],
        [5, 0],
        [10, 3600],
        [11, 3601],
        [12, DAY],
        [13, DAY + 1],
        [2 * DAY + 4, 5 * DAY + 4],
      ])
    })

    test('do not depend on how many others received the message, or how often it was received', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const start = BASE_TIMESTAMP + 30 * DAY
      const mailing = { id: 'mailing', recipient: 'a@x.test' }
      const others = Array.from({ length: 25 }, (_, index) => ({ id: 'mailing', recipient: `b${index}a@x.test` }))
      const received = [...others, ...others.map(() => mailing)].map((fields, index) => ({
        fields,
        receivedAt: start - 900 + index,
      }))
      await storage.log.append([
        ...message(0, domain, { ...mailing, receivedAt: start - 1000, deliveredAt: start }),
        ...received.flatMap(({ fields, receivedAt }) =>
          message(0, domain, { ...fields, receivedAt, deliveredAt: start }).slice(0, 1),
        ),
      ])
      assert.deepEqual(await secondsOf(storage.log, [domain], start), [[0, 1000]])
    })

    test('are those of exactly this domain, id and recipient, whatever characters are in them', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const start = BASE_TIMESTAMP + 40 * DAY
      const texts = [
        ['a', 'b c'],
        ['a b', 'c'],
        ['a\tb', 'c'],
        ['a\nb', 'c'],
        ["a'b", 'c'],
        ['a\\b', 'c'],
        ['a\\', 'b c'],
        ['a\0b', 'c'],
        ['a', '日本 c'],
        ['A', 'b c'],
        ['a', 'B c'],
        ['a', `b c${'x'.repeat(300)}`],
      ]
      const messages = [domain, other].flatMap((own) =>
        texts.map(([id = '', recipient = '']) => ({ own, id, recipient })),
      )
      await storage.log.append(
        messages.flatMap(({ own, id, recipient }, index) => {
          const deliveredAt = start + index
          return message(index, own, { id, recipient, receivedAt: deliveredAt - 10 * index, deliveredAt })
        }),
      )
      const expected = messages.map((_, index) => [index, 10 * index])
      assert.deepEqual(await secondsOf(storage.log, [domain, other], start), expected)
    })
  })
}
