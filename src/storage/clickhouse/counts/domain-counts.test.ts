import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import type { ClosedCount } from '../../postgres/batches/batch.ts'
import { CountedHours, type Totals } from '../upkeep/totals.ts'
import { COUNTERS, counterOf, SUMS } from './counters.ts'
import { countDomains } from './domain-counts.ts'

/** `closed`: as PostgreSQL has it, the last closed day of each shard. */
function totalsOf(totals: readonly ClosedCount[], closed: string | null = null): Pick<Totals, 'readWith'> {
  return {
    async readWith(domains, count) {
      const counted = await count(new CountedHours({ lastDay: null, closed }))
      return { totals: totals.filter(({ domain }) => domains.includes(domain)), counted }
    },
  }
}

test('the counters are sums of their types, in order', () => {
  assert.deepEqual(COUNTERS, ['bounce', 'delivery', 'reception'])
  assert.deepEqual(
    [counterOf(0), counterOf(1), counterOf(2), counterOf(99)],
    ['reception', 'delivery', undefined, undefined],
  )
  assert.match(
    SUMS,
    /^toInt64\(sumIf\(n, type = \d+.*\)\) AS bounce, .*type = 1\)\) AS delivery, .*type = 0\)\) AS reception$/,
  )
})

test('counts of hours and of closed days are added up, with the time of the last change', async () => {
  const { clickHouse, asked } = scriptClickHouse([
    [
      [1, 1, 20, 300, 0],
      [1, 0, 0, 0, 5000],
      [2, 0, 0, 0, 7000],
      [3, 0, 1, 0, 0],
    ],
  ])
  const totals = totalsOf([
    { domain: 1, bounce: 1000, delivery: 20_000, reception: 300_000 },
    { domain: 4, bounce: 0, delivery: 0, reception: 9 },
    { domain: 5, bounce: 0, delivery: 0, reception: 0 },
    { domain: 6, bounce: 8, delivery: 0, reception: 0 },
  ])
  assert.deepEqual(
    await countDomains(clickHouse, totals, [1, 2, 3, 4, 5, 6]),
    new Map([
      [1, { bounce: 1001, delivery: 20_020, reception: 300_300, changedAtMs: 5000 }],
      [3, { bounce: 0, delivery: 1, reception: 0, changedAtMs: 0 }],
      [4, { bounce: 0, delivery: 0, reception: 9, changedAtMs: 0 }],
      [6, { bounce: 8, delivery: 0, reception: 0, changedAtMs: 0 }],
    ]),
    'domains without counted events are absent',
  )
  assert.equal(asked.length, 1)
  assert.doesNotMatch(asked[0]?.sql ?? '', /hour >=/)
  assert.deepEqual(asked[0]?.options, {})
})

test('each shard counts from the hour after its closed days, on one thread if few are left', async () => {
  const { clickHouse, asked } = scriptClickHouse([], 2)
  await countDomains(clickHouse, totalsOf([], '1 1970-01-02'), [2, 3, 4, 5])
  assert.deepEqual(
    asked.map(({ sql, domains, options }) => [
      domains,
      /hour >= (\d+)/.exec(sql)?.[1],
      options.settings?.['max_threads'],
    ]),
    [
      [[2, 4], undefined, undefined],
      [[3, 5], '48', 1],
    ],
  )
})

test('20,000 domains are asked for at once', async () => {
  const { clickHouse, asked } = scriptClickHouse()
  const domains = Array.from({ length: 40_001 }, (_, index) => index + 1)
  assert.equal((await countDomains(clickHouse, totalsOf([]), domains)).size, 0)
  assert.deepEqual(
    asked.map((one) => [one.domains?.length, one.domains?.[0]]),
    [
      [20_000, 1],
      [20_000, 20_001],
      [1, 40_001],
    ],
  )
})
