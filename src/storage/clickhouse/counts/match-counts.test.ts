import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import type { CountQuery } from '../../../events/log/match-counts.ts'
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
