/** The contract of every event log for clients that follow it in order of arrival. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ArrivalPosition } from '../../events/log/event-log.ts'
import type { LogDomain } from '../../events/log/log-query.ts'
import { AppError } from '../../lib/app-error.ts'
import { attributedEvents, BASE_TIMESTAMP, logFilters } from './event-arbitraries.ts'
import { attribute, BUDGET_MS, burst, follow, freshDomains, type OpenLog, openModel, parse } from './log-scene.ts'

export function arrivalsContract(open: OpenLog, { numRuns = 40 } = {}): void {
  describe('following arrivals', () => {
    test('returns each event exactly once, late ones too, wherever it is resumed', async () => {
      await using storage = await open()
      const { log } = storage
      const step = fc.record({ append: attributedEvents, limit: fc.integer({ min: 1, max: 40 }), isRead: fc.boolean() })
      const scenario = fc.record({
        steps: fc.array(step, { minLength: 1, maxLength: 6 }),
        filters: logFilters,
        asked: fc.subarray([0, 1], { minLength: 1 }),
      })
      await fc.assert(
        fc.asyncProperty(scenario, async ({ steps, filters, asked }) => {
          const all = freshDomains()
          const query = { domains: asked.map((index) => all[index] as LogDomain), filters }
          const model = openModel()
          const start = await log.arrivals.last()
          let position = start
          const followed = { seen: [] as string[], positions: [] as ArrivalPosition[] }
          for (const { append, limit, isRead } of steps) {
            await model.append(attribute(append, all))
            await log.append(attribute(append, all))
            if (isRead) position = await follow(log, query, position, limit, followed)
          }
          await follow(log, query, position, 50, followed)
          const { seen, positions } = followed
          const expected = await followFrom(model, '0')
          assert.deepEqual(seen.toSorted(), expected.toSorted())
          // Resuming at the position of each event returns everything that arrived after it, and nothing else.
          const middle = Math.floor(seen.length / 2)
          for (const at of new Set([0, middle, seen.length - 1].filter((index) => index >= 0 && index < seen.length))) {
            const rest = await followFrom(log, positions[at] as ArrivalPosition)
            assert.deepEqual(rest.toSorted(), seen.slice(at + 1).toSorted())
          }
          assert.deepEqual((await followFrom(log, start)).toSorted(), expected.toSorted())

          async function followFrom(source: typeof log, from: ArrivalPosition): Promise<readonly string[]> {
            const found = { seen: [] as string[], positions: [] as ArrivalPosition[] }
            await follow(source, query, from, 50, found)
            return found.seen
          }
        }),
        { numRuns },
      )
    })

    test('within a day the order is that of arrival', async () => {
      await using storage = await open()
      const [domain] = freshDomains()
      const start = await storage.log.arrivals.last()
      for (const second of [5, 3, 9, 1]) await storage.log.append([burst(second, domain, BASE_TIMESTAMP + second)])
      const query = { domains: [domain], filters: {}, after: start, limit: 10, budgetMs: BUDGET_MS }
      const { events } = await storage.log.arrivals.list(query)
      assert.deepEqual(
        events.map(({ text }) => parse(text).id),
        ['message-5', 'message-3', 'message-9', 'message-1'],
      )
    })

    test('a large append is followed in parts, each event once', async () => {
      await using storage = await open()
      const [own, foreign] = freshDomains()
      const start = await storage.log.arrivals.last()
      const events = Array.from({ length: 12_000 }, (_, index) => burst(index, index % 4 === 0 ? own : foreign))
      await storage.log.append(events)
      const followed = { seen: [] as string[], positions: [] as ArrivalPosition[] }
      await follow(storage.log, { domains: [own], filters: {} }, start, 70, followed)
      assert.equal(followed.seen.length, 3000)
      assert.equal(new Set(followed.seen).size, 3000)
    })

    test('a call ends early if its budget is used up, and following the positions still reaches the end', async () => {
      await using storage = await open()
      const [own] = freshDomains()
      let after = await storage.log.arrivals.last()
      for (const day of [0, 1, 2]) {
        await storage.log.append(
          Array.from({ length: 300 }, (_, index) => burst(index, own, BASE_TIMESTAMP + day * 86_400)),
        )
      }
      let found = 0
      for (let isDone = false; !isDone; ) {
        const query = { domains: [own], filters: {}, after, limit: 1000, budgetMs: 0 }
        const page = await storage.log.arrivals.list(query)
        assert.ok(!page.hasMore || page.position !== after, 'each call comes further')
        found += page.events.length
        after = page.position
        isDone = !page.hasMore
      }
      assert.equal(found, 900)
    })

    test('listeners learn from each append which domains have new events, until they unsubscribe', async () => {
      await using storage = await open()
      const [own, foreign] = freshDomains()
      const heard: (readonly number[] | undefined)[] = []
      {
        using _listening = storage.log.arrivals.onArrival((numbers) => void heard.push(numbers && [...numbers]))
        await storage.log.append([burst(1, own)])
        assert.deepEqual(heard.splice(0), [[own.number]])
        await storage.log.append([burst(1, own)])
        assert.deepEqual(heard, [], 'a duplicate is not an arrival')
        await storage.log.append([burst(1, own), burst(2, foreign), burst(3, foreign, BASE_TIMESTAMP - 86_400)])
        const numbers = heard.splice(0).flatMap((some) => some ?? [])
        assert.deepEqual(new Set(numbers), new Set([foreign.number]))
      }
      await storage.log.append([burst(2, own)])
      assert.deepEqual(heard, [])
    })

    test('a position that the engine did not issue is refused', async () => {
      await using storage = await open()
      for (const after of ['', 'rubbish!', '1.2', '1.zzzzzzzzzz-1', '.'.repeat(100)]) {
        await assert.rejects(
          storage.log.arrivals.list({ domains: [], filters: {}, after, limit: 1, budgetMs: BUDGET_MS }),
          (error) => error instanceof AppError && error.code === 'invalid_cursor',
          after,
        )
      }
    })
  })
}
