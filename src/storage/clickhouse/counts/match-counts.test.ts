import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { EVENT_TYPES } from '../../../events/event.ts'
import type { LogQuery } from '../../../events/log/log-query.ts'
import { COUNTED_VALUES_MAX, type CountQuery } from '../../../events/log/match-counts.ts'
import { BudgetError } from '../server/clickhouse.ts'
import { countMatches } from './match-counts.ts'

const DELIVERY = 1
const WINDOW = { startTimestamp: 1000, endTimestamp: 1799 }

function count(answers: Parameters<typeof scriptClickHouse>[0], query: Partial<CountQuery> = {}, retainedFrom = 0) {
  const { clickHouse, asked } = scriptClickHouse(answers)
  const list = () => assert.fail('nothing is listed')
  const domains = [{ number: 1, name: 'a.test' }]
  const asking: CountQuery = {
    domains,
    filters: {},
    window: WINDOW,
    fields: ['provider'],
    bucketSeconds: 100,
    budgetMs: 10_000,
    ...query,
  }
  const statements = () => asked.map(({ sql }) => sql.replaceAll(/\s+/g, ' '))
  return { counts: countMatches({ clickHouse, list, retainedFrom }, asking), statements }
}

describe('a window that takes too long', () => {
  test('is replaced by its newest eighth, until that can be counted', async () => {
    const late = new BudgetError()
    const { counts, statements } = count([late, late, [[17, DELIVERY, 3]], [['aWeb.de', 0, 3]]])
    assert.deepEqual(await counts, {
      total: 3,
      fields: [{ field: 'provider', values: [{ value: 'Web.de', count: 3 }], isCut: false, isNewestOnly: true }],
      buckets: [{ start: 1700, type: 'Delivery', count: 3 }],
      countedTo: 1788,
    })
    const begins = statements().map((sql) => Number(/timestamp >= (\d+)/.exec(sql)?.[1]))
    assert.deepEqual(begins, [1000, 1700, 1788, 1788])
    assert.ok(statements().every((sql) => sql.includes('timestamp <= 1799')))
  })

  test('down to a second: then nothing is counted, up to the end', async () => {
    const late = new BudgetError()
    const { counts, statements } = count([late, late, late, late])
    assert.deepEqual(await counts, {
      total: 0,
      fields: [{ field: 'provider', values: [], isCut: false, isNewestOnly: true }],
      buckets: [],
      countedTo: 1800,
    })
    assert.equal(statements().length, 4)
  })

  test('is not shortened once the time is over', async () => {
    const { counts, statements } = count([new BudgetError()], { budgetMs: -1 })
    assert.deepEqual([(await counts).countedTo, statements().length], [1800, 1])
  })

  test('any other failure is passed on', async () => {
    await assert.rejects(count([new Error('no')]).counts, /^Error: no$/)
  })
})

test('what is not retained is left out, and the answer is complete without it', async () => {
  const { counts, statements } = count([[[15, DELIVERY, 2]], []], {}, 1500)
  const { total, countedTo } = await counts
  assert.deepEqual([total, countedTo], [2, undefined])
  assert.match(statements()[0] ?? '', /timestamp >= 1500 /)
})

test('without domains nothing is asked', async () => {
  const { counts, statements } = count([], { domains: [] })
  assert.deepEqual([(await counts).total, statements()], [0, []])
})

describe('counts of all matches', () => {
  test('are those of buckets, newest first, and of values of each field, the most frequent first', async () => {
    const buckets = [
      [10, 1, 2],
      [11, 0, 3],
      [11, 1, 4],
      [12, 2, 1],
    ]
    const values = [
      ['a1', 'a', 4],
      ['b5', 'b', 2],
      ['a0', 'a', 3],
      ['b3', 'b', 9],
      ['cProvider', 'c', 1],
    ]
    const { counts, statements } = count([buckets, values], { fields: ['type', 'domain', 'provider', 'code'] })
    const [, DELIVERY_TYPE, THIRD] = EVENT_TYPES
    assert.deepEqual(await counts, {
      total: 10,
      buckets: [
        { start: 1200, type: THIRD, count: 1 },
        ...[
          { start: 1100, type: EVENT_TYPES[0], count: 3 },
          { start: 1100, type: DELIVERY_TYPE, count: 4 },
        ].sort((a, b) => (String(a.type) < String(b.type) ? -1 : 1)),
        { start: 1000, type: DELIVERY_TYPE, count: 2 },
      ],
      fields: [
        {
          field: 'type',
          values: [
            { value: DELIVERY_TYPE, count: 4 },
            { value: EVENT_TYPES[0], count: 3 },
          ],
          isCut: false,
          isNewestOnly: false,
        },
        {
          field: 'domain',
          values: [
            { value: '3', count: 9 },
            { value: '5', count: 2 },
          ],
          isCut: false,
          isNewestOnly: false,
        },
        { field: 'provider', values: [{ value: 'Provider', count: 1 }], isCut: false, isNewestOnly: false },
        { field: 'code', values: [], isCut: false, isNewestOnly: false },
      ],
    })
    assert.match(
      statements()[1] ?? '',
      /concat\('a', toString\(type\)\), concat\('b', .*concat\('d', if\(response_code/,
    )
    assert.match(statements()[1] ?? '', new RegExp(`LIMIT ${COUNTED_VALUES_MAX + 1} BY mark$`))
  })

  test('have only as many values as are shown, and say that there are more', async () => {
    const values = (found: number) => Array.from({ length: found }, (_, index) => [`av${index}`, 'a', 1])
    for (const [found, isCut] of [
      [COUNTED_VALUES_MAX, false],
      [COUNTED_VALUES_MAX + 1, true],
    ] as const) {
      const { counts } = count([[], values(found)])
      const [field] = (await counts).fields
      assert.deepEqual([field?.values.length, field?.isCut], [COUNTED_VALUES_MAX, isCut])
    }
  })

  test('without fields take one statement', async () => {
    const { counts, statements } = count([[[10, 1, 2]]], { fields: [] })
    assert.deepEqual([(await counts).total, statements().length], [2, 1])
  })

  test('by parts of the origin are those of its places', async () => {
    const { counts, statements } = count([[], []], { fields: ['sending_address', 'sending_source', 'sending_pool'] })
    await counts
    assert.deepEqual(statements()[1]?.match(/origin\)\[\d\]/g), ['origin)[1]', 'origin)[2]', 'origin)[3]'])
  })

  test('of replies are those of the events that are listed, with what is left of the time', async () => {
    const { clickHouse } = scriptClickHouse([[[10, 1, 2]], [['aWeb.de', 'a', 2]]])
    const budgets: number[] = []
    const list = async (query: LogQuery) => {
      budgets.push(query.budgetMs)
      return { events: [JSON.stringify({ type: 'Delivery', timestamp: 1005, response_content: '250 ok' })] }
    }
    const domains = [{ number: 1, name: 'a.test' }]
    const query = {
      domains,
      filters: {},
      window: WINDOW,
      fields: ['reply', 'provider'],
      bucketSeconds: 100,
      budgetMs: 10_000,
    } as const
    const { total, fields } = await countMatches({ clickHouse, list, retainedFrom: 0 }, query)
    assert.deepEqual(
      [total, fields.map(({ field, values }) => [field, values[0]?.count])],
      [
        2,
        [
          ['reply', 1],
          ['provider', 2],
        ],
      ],
    )
    assert.ok((budgets[0] ?? 0) > 1000)
    const filtered = await countMatches(
      { clickHouse, list, retainedFrom: 0 },
      { ...query, filters: { replies: ['250 ok'] } },
    )
    assert.equal(filtered.total, 1)
  })
})
