import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { LONGEST_SECONDS } from '../../../events/delivery-times/sample-delivery-times.ts'
import { BudgetError } from '../server/clickhouse.ts'
import { findReceptions } from './find-receptions.ts'

const NOON = 1_772_366_400
const DOMAIN = { number: 7, name: 'a.test' }
const PLENTY_MS = 60_000

function delivery(id: string, timestamp = NOON) {
  return { domain: DOMAIN, id, recipient: 'u@b.test', timestamp }
}

const boundsOf = (sql = '') => /timestamp >= (\d+) AND timestamp <= (\d+)/.exec(sql)?.slice(1).map(Number)

test('receptions are looked for an hour, a day and the longest time back, as long as some are missing', async () => {
  const { clickHouse, asked } = scriptClickHouse([
    [[7, 'a', 'u@b.test', NOON - 60]],
    [[7, 'b', 'u@b.test', NOON - 5000]],
    [[7, 'c', 'other@b.test', NOON - 90_000]],
  ])
  const deliveries = [delivery('a'), delivery('b', NOON - 10), delivery('c', NOON - 20)]
  assert.deepEqual(await findReceptions(clickHouse, deliveries, PLENTY_MS), [NOON - 60, NOON - 5000, undefined])
  assert.deepEqual(
    asked.map(({ sql }) => boundsOf(sql)),
    [
      [NOON - 20 - 3600, NOON],
      [NOON - 20 - 86_400, NOON - 10],
      [NOON - 20 - LONGEST_SECONDS, NOON - 20],
    ],
  )
  assert.match(asked[0]?.sql ?? '', /domain = 7 AND 1\b.*type = 0 AND id IN \('a', 'b', 'c'\)/s)
  assert.match(asked[1]?.sql ?? '', /id IN \('b', 'c'\)/)
  assert.ok(asked.every(({ options }) => (options.budgetMs ?? 0) > 0))
})

test('nothing is asked once all are found, or without time', async () => {
  const { clickHouse, asked } = scriptClickHouse([[[7, 'a', 'u@b.test', 50]]])
  assert.deepEqual(await findReceptions(clickHouse, [delivery('a', 100)], PLENTY_MS), [50])
  assert.deepEqual(
    asked.map(({ sql }) => boundsOf(sql)),
    [[0, 100]],
  )
  assert.deepEqual(await findReceptions(clickHouse, [delivery('b')], -1), [undefined])
  assert.equal(asked.length, 1)
})

test('a reception after the delivery is none of it; one at the same time is', async () => {
  const rows = ['a', 'b'].map((id, index) => [7, id, 'u@b.test', NOON + index])
  const { clickHouse } = scriptClickHouse([rows])
  assert.deepEqual(await findReceptions(clickHouse, [delivery('a'), delivery('b')], PLENTY_MS), [NOON, undefined])
})

test('a search that takes too long ends with what was found; other failures are passed on', async () => {
  const late = scriptClickHouse([[[7, 'a', 'u@b.test', NOON]], new BudgetError('too long')])
  assert.deepEqual(await findReceptions(late.clickHouse, [delivery('a'), delivery('b')], PLENTY_MS), [NOON, undefined])
  assert.equal(late.asked.length, 2)
  const broken = scriptClickHouse([new Error('broken')])
  await assert.rejects(findReceptions(broken.clickHouse, [delivery('a')], PLENTY_MS), { message: 'broken' })
})
