/** What only a real server can show of reads: literals, bytes of inserts, budgets, rows that are there twice, unfinished batches. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../test/harness/code-point.ts'
import { openCluster, type SharedCluster } from '../../../test/harness/storage/clickhouse/cluster.ts'
import { openPlainLog, type PlainLog } from '../../../test/harness/storage/clickhouse/plain-log.ts'
import { hostileEvent } from '../../../test/harness/storage/hostile-events.ts'
import type { LogDomain, LogFilters, LogPosition } from '../../events/log/log-query.ts'
import { foldCase } from '../../lib/text/case-folding.ts'
import { BASE_TIMESTAMP } from '../contract/event-arbitraries.ts'
import { attribute, burst, freshDomains, listAll, openModel, parse, queryOf } from '../contract/log-scene.ts'
import { containsPattern, literal, literalList, numberSet } from './literals.ts'
import { LogReader } from './reading/log-reader.ts'
import { toEventRow } from './rows/event-row.ts'
import type { ClickHouse } from './server/clickhouse.ts'

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: codePoint, maxLength: 40 }).map((text) => text.toWellFormed()),
  fc
    .array(
      fc.constantFrom(
        '\\',
        "'",
        '\0',
        '%',
        '_',
        '\n',
        '\t',
        '\b',
        '"',
        '`',
        '--',
        '/*',
        ';',
        '{x}',
        'é',
        '😀',
        '\\x41',
        '\\N',
        '?',
      ),
      { maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.constantFrom('x'.repeat(65_536), "'".repeat(30_000), '\uffff', '\x7f', '\xff'),
)

describe('reading from a real cluster', () => {
  let cluster: SharedCluster
  let log: PlainLog
  before(async () => {
    cluster = await openCluster()
    log = await openPlainLog(cluster)
  })
  after(async () => {
    await log?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  describe('a literal', () => {
    test('is the text that it was made of, whatever its characters', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyText, { minLength: 1, maxLength: 20 }), async (texts) => {
          const sql = `SELECT ${texts.flatMap((text) => [literal(text), `toString(length(${literal(text)}))`]).join(', ')}`
          const [row] = await log.clickHouse.select(sql, { settings: { max_query_size: 10_000_000 } })
          assert.deepEqual(
            row,
            texts.flatMap((text) => [text, String(Buffer.byteLength(text))]),
          )
        }),
        { numRuns: 60 },
      )
    })

    test('is the same after the server has passed it on to others', async () => {
      const texts = ['\\', "'", '\0', 'a\nb', '\t', '%', 'é😀', '\\0', "\\'"]
      const [domain] = freshDomains()
      await log.append(
        texts.map((id, index) => ({ domainNumber: domain.number, event: { ...burst(index, domain).event, id } })),
      )
      for (const messageId of texts) {
        const found = await listAll(log, queryOf([domain], 10, { messageId }))
        assert.deepEqual(
          found.map(({ id }) => id),
          [messageId],
        )
      }
    })

    test('numbers and lists', async () => {
      const numbers = [0, 1, 4_294_967_295, Number.MAX_SAFE_INTEGER, 2n ** 64n - 1n]
      const [row] = await log.clickHouse.select(
        `SELECT ${numbers.map(literal).join(', ')}, 'b' IN ${literalList(['a', 'b'])}`,
      )
      assert.deepEqual(row, [...numbers.map(String), '1'])
      for (const bad of [Number.NaN, 1.5, Infinity, 2 ** 53]) assert.throws(() => literal(bad), RangeError)
      assert.throws(() => literalList([]), RangeError)
    })

    test('a set of any size has exactly its numbers', async () => {
      for (const size of [1, 100, 101, 20_000]) {
        const set = numberSet(
          'UInt32',
          Array.from({ length: size }, (_, index) => index * 2),
        )
        const sql = `SELECT count(), sum(number) FROM (SELECT toUInt32(number) AS number FROM system.numbers LIMIT 50000) WHERE number IN ${set}`
        const [row] = await log.clickHouse.select(sql)
        assert.deepEqual(row, [String(size), String(size * (size - 1))])
      }
    })

    test('as a pattern it finds itself, and nothing of it is special', async () => {
      await fc.assert(
        fc.asyncProperty(anyText, anyText, async (text, other) => {
          // As columns: 18.16 finds the NUL after the end of a constant.
          const texts = [`a${text}b`, other, text, '', `${text}${other}`]
          const sql = `SELECT ${texts.map((each) => `materialize(${literal(each)}) LIKE ${containsPattern(text)}`).join(', ')}`
          const [row] = await log.clickHouse.select(sql, { settings: { max_query_size: 10_000_000 } })
          assert.deepEqual(
            row,
            texts.map((each) => (each.includes(text) ? '1' : '0')),
          )
        }),
        { numRuns: 60 },
      )
    })
  })

  test('events with any texts come back as they were sent, and are found by a part of their subject', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostileEvent, { minLength: 1, maxLength: 4 }), async (given) => {
        const domains = freshDomains()
        const events = attribute(given, domains)
        const model = openModel()
        await model.append(events)
        await log.append(events)
        const query = { ...queryOf(domains, 100), shown: 'sending' } as const
        assert.deepEqual(await listAll(log, query), await listAll(model, query))
        for (const { event } of events) {
          const middle = [...(event.subject ?? '')].slice(3, 8).join('')
          if (middle === '') continue
          const search = queryOf(domains, 100, { subject: foldCase(middle) })
          assert.deepEqual(await listAll(log, search), await listAll(model, search))
        }
      }),
      { numRuns: 15 },
    )
  })

  test('a filter that finds little takes one statement where there are few events, and finds what the others find', async () => {
    const [domain, other] = freshDomains()
    const day = 86_400
    await log.append(Array.from({ length: 40 }, (_, index) => burst(index, domain, BASE_TIMESTAMP + index * day)))
    const { clickHouse } = log
    const asked: string[] = []
    const selectOf: ClickHouse['selectOf'] = (numbers, toSql, options) => {
      asked.push(toSql({ from: (table) => table, isThere: '1' }))
      return clickHouse.selectOf(numbers, toSql, options)
    }
    const counting = Object.create(clickHouse, { selectOf: { value: selectOf } }) as ClickHouse
    const reader = new LogReader({ clickHouse: counting, serviceMessageIdField: 'x' })
    const find = async (filters: LogFilters, domains = [domain]) => {
      asked.length = 0
      const page = await reader.list(queryOf(domains, 10, filters))
      assert.equal(page.next, undefined)
      return page.events.map((text) => parse(text).id)
    }
    assert.deepEqual(await find({ subject: 'number 7 of' }), ['message-7'])
    assert.ok(asked.length > 1, 'how many events there are is not known at first')
    assert.deepEqual(await find({ subject: 'number 33 of' }), ['message-33'])
    assert.deepEqual(await find({ recipient: 'user0@' }), ['message-0'])
    assert.equal(asked.length, 1, asked.join('\n'))
    assert.deepEqual(await find({ recipient: 'user0@' }, [domain, other]), ['message-0'])
    assert.deepEqual(await find({ recipient: 'user1@' }, [domain, other]), ['message-1'])
    assert.equal(asked.length, 1, asked.join('\n'))
  })

  test('deliveries of a mailing to very many recipients have their times, in one domain and in several', async () => {
    const domains = freshDomains()
    const [domain, other] = domains
    const count = 25_000
    const step = (index: number, type: 'Reception' | 'Delivery', timestamp: number, owner = domain) => {
      const { domainNumber, event } = burst(index, owner, timestamp)
      return { domainNumber, event: { ...event, id: 'mailing', type } }
    }
    const indexes = Array.from({ length: count }, (_, index) => index)
    await log.append(indexes.map((index) => step(index, 'Reception', BASE_TIMESTAMP + (index % 50))))
    const delivered = indexes.filter((index) => index % 500 === 7)
    await log.append(delivered.map((index) => step(index, 'Delivery', BASE_TIMESTAMP + index)))
    await log.append([step(7, 'Reception', BASE_TIMESTAMP, other), step(7, 'Delivery', BASE_TIMESTAMP + 90, other)])
    const window = { startTimestamp: BASE_TIMESTAMP, endTimestamp: BASE_TIMESTAMP + count }
    const secondsOf = async (asked: readonly LogDomain[]) => {
      const { times } = await log.deliveryTimes({ domains: asked, window, parts: 1, perPart: 100, budgetMs: 60_000 })
      return times.map(({ seconds }) => seconds).sort((a, b) => a - b)
    }
    const expected = delivered.map((index) => index - (index % 50))
    assert.deepEqual(await secondsOf([domain]), expected)
    assert.deepEqual(
      await secondsOf(domains),
      [...expected, 90].sort((a, b) => a - b),
    )
  })

  test('rows that are there twice are returned once, also at the ends of pages', async () => {
    const [domain] = freshDomains()
    const rows = Array.from({ length: 20 }, (_, index) =>
      toEventRow(burst(index, domain, BASE_TIMESTAMP + (index >> 2))),
    )
    // As after restoring a backup. Cut differently, as ClickHouse would drop the same block.
    await log.insertEvents(rows, 1_000_000)
    await log.insertEvents(rows.slice(0, 12), 1_000_000)
    await log.insertEvents(rows.slice(12), 1_000_012)
    const expected = rows.map(({ event }) => event.id).reverse()
    for (const limit of [1, 2, 3, 7, 19, 20, 100]) {
      const found = await listAll(log, queryOf([domain], limit))
      assert.deepEqual(
        found.map(({ id }) => id),
        expected,
        `pages of ${limit}`,
      )
    }
  })

  test('a search that would read too much is continued in parts, also within one second, and finds everything', async () => {
    // A granule has 1024 rows. What a second has is more than a read may read.
    await using limited = await openPlainLog(cluster, { max_rows_to_read: 9000 })
    const [one, other] = freshDomains()
    const events = Array.from({ length: 40_000 }, (_, index) =>
      burst(index, index % 4 === 0 ? other : one, BASE_TIMESTAMP + (index < 30_000 ? 7 : index)),
    )
    await limited.append(events)
    for (const domains of [[one], [one, other]]) {
      const ids: string[] = []
      let pages = 0
      let after: LogPosition | undefined
      do {
        const query = {
          ...queryOf(domains, 1000, { subject: '7 of' }),
          budgetMs: 0,
          ...(after !== undefined && { after }),
        }
        const page = await limited.list(query)
        assert.equal(page.searchedTo === undefined, page.next === undefined)
        ids.push(...page.events.map((text) => parse(text).id))
        assert.ok(page.next === undefined || page.next !== after, 'each page comes further')
        after = page.next
        pages++
      } while (after !== undefined)
      const isWanted = (index: number) => index % 10 === 7 && (domains.length === 2 || index % 4 !== 0)
      const wanted = events.flatMap(({ event }, index) => (isWanted(index) ? [event.id] : []))
      assert.deepEqual(new Set(ids), new Set(wanted))
      assert.equal(ids.length, wanted.length)
      assert.ok(pages > 3)
    }
  })

  test('events of an unfinished batch are shown once it is finished, to those who began before and meanwhile', async () => {
    const { shards } = log.clickHouse
    const [a, b] = freshDomains()
    assert.notEqual(a.number % shards, b.number % shards)
    const list = async (after: string, domains = [a, b]) => {
      const page = await log.arrivals.list({ domains, filters: {}, after, limit: 100, budgetMs: 60_000 })
      return { ids: page.events.map(({ text }) => parse(text).id), position: page.position, events: page.events }
    }
    const before = await log.arrivals.last()
    await log.append([burst(1, a), burst(2, b)])
    // The batch of one shard has been decided, and a part of it may be visible; that of the other shard is finished.
    const [row] = await log.clickHouse.select(
      `SELECT max(arrival) FROM ${log.clickHouse.readFrom('event')} WHERE arrival < 1000000`,
    )
    log.unfinished.set(b.number % shards, Number(row?.[0]) + 1)
    await log.append([burst(3, b), burst(4, b)])
    await log.append([burst(5, a)])
    const during = await log.arrivals.last()
    const first = await list(before)
    assert.deepEqual(first.ids, ['message-1', 'message-2', 'message-5'])
    assert.deepEqual((await list(during)).ids, [])
    assert.deepEqual((await list(first.position)).ids, [])
    assert.deepEqual((await list(first.events[1]?.position ?? '')).ids, ['message-5'])
    log.unfinished.clear()
    await log.append([burst(6, a)])
    for (const position of [first.position, during, first.events[2]?.position ?? '']) {
      assert.deepEqual((await list(position)).ids, ['message-3', 'message-4', 'message-6'], position)
    }
    const all = await list(before)
    assert.deepEqual(
      all.ids,
      [1, 2, 3, 4, 5, 6].map((index) => `message-${index}`),
    )
    const afterThird = all.events[2]?.position ?? ''
    assert.deepEqual((await list(afterThird)).ids, ['message-4', 'message-5', 'message-6'])
    assert.deepEqual((await list(afterThird, [b])).ids, ['message-4'])
  })

  test('statistics are of the requested domains, and their time is that of the last counted event', async () => {
    const [domain, other] = freshDomains()
    const types = ['Delivery', 'Bounce', 'OOBBounce', 'Opened', 'Reception', 'Delivery'] as const
    const of = (type: (typeof types)[number], index: number, owner = domain) => {
      const { domainNumber, event } = burst(index, owner)
      return { domainNumber, event: { ...event, type } }
    }
    await log.append(types.map((type, index) => of(type, index)))
    await log.append([of('Opened', 1, other)])
    const counts = await log.counts([domain.number, other.number, 77])
    const { changedAtMs = 0, ...numbers } = counts.get(domain.number) ?? {}
    assert.deepEqual(numbers, { bounce: 1, delivery: 2, reception: 1 })
    assert.equal(counts.size, 1, 'an opened message is not in the statistics')
    await log.append([of('Feedback' as 'Opened', 9)])
    assert.equal((await log.counts([domain.number])).get(domain.number)?.changedAtMs, changedAtMs)
    await log.append([of('Bounce', 10)])
    assert.ok(((await log.counts([domain.number])).get(domain.number)?.changedAtMs ?? 0) >= changedAtMs)
    assert.deepEqual(await log.counts([]), new Map())
  })
})
