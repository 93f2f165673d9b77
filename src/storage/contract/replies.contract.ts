/** The contract of every event log for the replies of receiving servers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailEvent } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain, LogFilters, LogWindow } from '../../events/log/log-query.ts'
import { COUNTED_REPLIES_MAX } from '../../events/log/match-counts.ts'
import type { RepliesQuery } from '../../events/replies/count-replies.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { ALL_TIMES, BUDGET_MS, burst, follow, freshDomains, listAll, type OpenLog, queryOf } from './log-scene.ts'

const LISTED = 'Client host [192.0.2.7] blocked using bl.example'

function bounce(index: number, domain: LogDomain, fields: Partial<EmailEvent> = {}): AttributedEvent {
  const { domainNumber, event } = burst(index, domain, BASE_TIMESTAMP + index)
  const failed = {
    type: 'Bounce',
    response_code: 554,
    provider_name: 'Web.de',
    bounce_classification: 'SpamBlock',
  } as const
  return { domainNumber, event: { ...event, ...failed, ...fields } }
}

export function repliesContract(open: OpenLog): void {
  describe('replies of receiving servers', () => {
    test('are counted by code and masked text, for one kind of events and the requested domains only', async () => {
      await using storage = await open()
      const [domain, other] = freshDomains()
      const listed = (index: number) => ({ response_content: LISTED.replace('7]', `${index}]`) })
      const { provider_name: _, ...nameless } = bounce(90, domain, { response_content: 'no provider' }).event
      await storage.log.append([
        ...Array.from({ length: 30 }, (_, index) => bounce(index, domain, listed(index))),
        ...Array.from({ length: 5 }, (_, index) =>
          bounce(40 + index, domain, { response_code: 550, response_content: 'full' }),
        ),
        bounce(50, domain, { provider_name: 'Gmail', response_content: 'another provider' }),
        bounce(51, domain, { bounce_classification: 'InvalidRecipient', response_content: 'another class' }),
        bounce(52, domain, { type: 'TransientFailure', response_content: 'another type' }),
        bounce(53, other, { response_content: 'another domain' }),
        bounce(5000, domain, { response_content: 'another time' }),
        { domainNumber: domain.number, event: nameless },
      ])
      const query: RepliesQuery = {
        domains: [domain],
        window: { startTimestamp: BASE_TIMESTAMP, endTimestamp: BASE_TIMESTAMP + 4999 },
        types: ['Bounce'],
        provider: 'Web.de',
        classification: 'SpamBlock',
        limit: 1000,
        budgetMs: BUDGET_MS,
      }
      const mask = 'Client host [*] blocked using bl.example'
      assert.deepEqual(await storage.log.replies(query), {
        replies: [
          { code: 554, text: mask, count: 30 },
          { code: 550, text: 'full', count: 5 },
        ],
        counted: 35,
        unlisted: 0,
        addresses: [],
        isCut: false,
      })
      const { replies } = await storage.log.replies({ ...query, provider: '' })
      assert.deepEqual(replies, [{ code: 554, text: 'no provider', count: 1 }])
      // The newest ones, if there are more than may be examined.
      const cut = await storage.log.replies({ ...query, limit: 7 })
      assert.deepEqual(cut, {
        replies: [
          { code: 550, text: 'full', count: 5 },
          { code: 554, text: mask, count: 2 },
        ],
        counted: 7,
        unlisted: 0,
        addresses: [],
        isCut: true,
      })
    })

    test('of which there are too many different ones are counted together', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const word = (index: number) => [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('')
      await storage.log.append(
        Array.from({ length: 1200 }, (_, index) => bounce(index, domain, { response_content: word(index) })),
      )
      const query = {
        domains: [domain],
        window: ALL_TIMES,
        types: ['Bounce'],
        limit: 5000,
        budgetMs: BUDGET_MS,
      } as const
      const { replies, counted, unlisted, isCut } = await storage.log.replies(query)
      assert.deepEqual([replies.length, counted, unlisted, isCut], [20, 1200, 1180, false])
    })

    test('filter pages, counts and arrivals by masked text, with it or without it', async () => {
      await using storage = await open()
      const { log } = storage
      const [domain] = freshDomains()
      const from = await log.arrivals.last()
      const listed = (index: number) => ({ response_content: LISTED.replace('7]', `${index % 200}]`) })
      // The same words in another order.
      const turned = { response_content: 'bl.example: blocked using Client host [192.0.2.7]' }
      await log.append([
        ...Array.from({ length: 300 }, (_, index) => bounce(index, domain, listed(index))),
        ...Array.from({ length: 40 }, (_, index) => bounce(400 + index, domain, turned)),
        // Others in the first and in the last character only.
        bounce(500, domain, { response_content: LISTED.replace('C', 'c') }),
        bounce(501, domain, { response_content: LISTED.replace(/e$/, 'a') }),
        burst(900, domain),
      ])
      const mask = 'Client host [*] blocked using bl.example'
      const cases: readonly (readonly [LogFilters, number])[] = [
        [{ replies: [mask] }, 300],
        [{ replies: [mask, 'bl.example: blocked using Client host [*]'] }, 340],
        [{ replies: [LISTED] }, 0],
        [{ replies: ['*'] }, 0],
        [{ without: { replies: [mask] } }, 43],
        [{ replies: [mask], without: { replies: [mask] } }, 0],
      ]
      for (const [filters, expected] of cases) {
        assert.equal((await listAll(log, queryOf([domain], 50, filters))).length, expected, JSON.stringify(filters))
        const query = { domains: [domain], filters, window: ALL_TIMES, bucketSeconds: 3600, budgetMs: BUDGET_MS }
        const { total, countedTo } = await log.count({ ...query, fields: ['type'] })
        assert.deepEqual([total, countedTo], [expected, undefined])
        const followed = { seen: [], positions: [] }
        await follow(log, { domains: [domain], filters }, from, 100, followed)
        assert.equal(followed.seen.length, expected)
      }
    })

    test('are counted by masked text in the newest events of a search', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const events = Array.from({ length: COUNTED_REPLIES_MAX + 500 }, (_, index) =>
        bounce(index, domain, { response_content: index < 600 ? `old ${index}` : `new ${index}` }),
      )
      for (let at = 0; at < events.length; at += 2000) await storage.log.append(events.slice(at, at + 2000))
      const count = (window: LogWindow) =>
        storage.log.count({
          domains: [domain],
          filters: {},
          window,
          fields: ['type', 'reply'],
          bucketSeconds: 3600,
          budgetMs: BUDGET_MS,
        })
      const all = await count(ALL_TIMES)
      assert.deepEqual(all.fields, [
        {
          field: 'type',
          values: [{ value: 'Bounce', count: COUNTED_REPLIES_MAX + 500 }],
          isCut: false,
          isNewestOnly: false,
        },
        {
          field: 'reply',
          values: [
            { value: 'new *', count: COUNTED_REPLIES_MAX - 100 },
            { value: 'old *', count: 100 },
          ],
          isCut: false,
          isNewestOnly: true,
        },
      ])
      const old = await count({ startTimestamp: 0, endTimestamp: BASE_TIMESTAMP + 599 })
      assert.deepEqual(old.fields[1], {
        field: 'reply',
        values: [{ value: 'old *', count: 600 }],
        isCut: false,
        isNewestOnly: false,
      })
    })
  })
}
