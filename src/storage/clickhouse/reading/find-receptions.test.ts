import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { LONGEST_SECONDS } from '../../../events/delivery-times/sample-delivery-times.ts'
import { RowWriter } from '../rows/row-writer.ts'
import { BudgetError, type ClickHouse, type SelectOptions } from '../server/clickhouse.ts'
import { findReceptions } from './find-receptions.ts'

const NOON = 1_772_366_400
const DOMAIN = { number: 7, name: 'a.test' }
const PLENTY_MS = 60_000

const all = (clickHouse: ClickHouse) => ({ clickHouse, retainedFrom: 0 })

function delivery(id: string, timestamp = NOON, domain = DOMAIN) {
  return { domain, id, recipient: 'u@b.test', timestamp }
}

const boundsOf = (sql = '') => /timestamp >= (\d+) AND timestamp <= (\d+)/.exec(sql)?.slice(1).map(Number)

/** The table that is sent: the place of the delivery, its domain and id, the first and the last second. */
function tableOf(rows: readonly (readonly [number, number, string, number, number])[]) {
  const writer = new RowWriter()
  for (const [index, domain, id, first, last] of rows) {
    for (const number of [index, domain]) writer.uint32(number)
    for (const text of [id, 'u@b.test']) writer.text(text)
    for (const number of [first, last]) writer.uint32(number)
  }
  return [...writer.finish()]
}

const sentOf = ({ options }: { readonly options: SelectOptions }) => [...(options.sent?.body ?? [])]

test('the week before a delivery is searched in three steps that neither overlap nor leave a gap, the last hour first', async () => {
  const { clickHouse, asked } = scriptClickHouse()
  const other = { number: 9, name: 'b.test' }
  assert.deepEqual(await findReceptions(all(clickHouse), [delivery('a'), delivery('b', NOON - 20, other)], PLENTY_MS), [
    undefined,
    undefined,
  ])
  const steps = [
    [3600, 0],
    [86_400, 3601],
    [LONGEST_SECONDS, 86_401],
  ] as const
  assert.deepEqual(
    asked.map(({ sql }) => boundsOf(sql)),
    steps.map(([from, to]) => [NOON - 20 - from, NOON - to]),
  )
  assert.deepEqual(
    asked.map(sentOf),
    steps.map(([from, to]) =>
      tableOf([
        [0, 7, 'a', NOON - from, NOON - to],
        [1, 9, 'b', NOON - 20 - from, NOON - 20 - to],
      ]),
    ),
  )
  assert.match(asked[0]?.sql ?? '', /domain IN \(7, 9\) .*type = 0 .* AND 1\n/s)
  assert.deepEqual(asked[0]?.domains, [7, 9])
  assert.ok(asked.every(({ options }) => (options.budgetMs ?? 0) > 0))
})

test('the first reception counts, also if a later one is found in an earlier step', async () => {
  const { clickHouse } = scriptClickHouse([
    [
      [0, NOON - 600],
      [1, NOON - 60],
    ],
    [[0, NOON - 7200]],
    [
      [2, NOON - 100_000],
      [0, NOON - 90_000],
    ],
  ])
  const deliveries = ['a', 'b', 'c', 'd'].map((id) => delivery(id))
  assert.deepEqual(await findReceptions(all(clickHouse), deliveries, PLENTY_MS), [
    NOON - 90_000,
    NOON - 60,
    NOON - 100_000,
    undefined,
  ])
})

test('no time before 1970 is asked for, and nothing without deliveries or without time', async () => {
  const { clickHouse, asked } = scriptClickHouse([[[1, 50]]])
  const deliveries = [delivery('a', 4000), delivery('b', 100)]
  assert.deepEqual(await findReceptions(all(clickHouse), deliveries, PLENTY_MS), [undefined, 50])
  assert.deepEqual(asked.map(sentOf), [
    tableOf([
      [0, 7, 'a', 400, 4000],
      [1, 7, 'b', 0, 100],
    ]),
    tableOf([[0, 7, 'a', 0, 399]]),
  ])
  assert.deepEqual(await findReceptions(all(clickHouse), deliveries, -1), [undefined, undefined])
  assert.deepEqual(await findReceptions(all(clickHouse), [], PLENTY_MS), [])
  assert.equal(asked.length, 2)
})

test('the time between deliveries that are far apart is not read, unless there are many of them', async () => {
  const { clickHouse, asked } = scriptClickHouse()
  const day = 86_400
  const rangesOf = (sql = '') =>
    [...sql.matchAll(/timestamp >= (\d+) AND timestamp <= (\d+)/g)].map((found) => found.slice(1).map(Number))
  const timestamps = [NOON, NOON - 5 * day, NOON - 100, NOON - 5501, NOON - 5 * day + 5400]
  await findReceptions(
    all(clickHouse),
    timestamps.map((timestamp) => delivery('a', timestamp)),
    PLENTY_MS,
  )
  assert.deepEqual(
    asked.map(({ sql }) => rangesOf(sql)),
    [
      [
        [NOON - 5 * day - 3600, NOON - 5 * day + 5400],
        [NOON - 5501 - 3600, NOON - 5501],
        [NOON - 3700, NOON],
      ],
      [
        [NOON - 6 * day, NOON - 5 * day + 5400 - 3601],
        [NOON - 5501 - day, NOON - 3601],
      ],
      [[NOON - 5 * day - LONGEST_SECONDS, NOON - day - 1]],
    ],
  )
  const many = Array.from({ length: 13 }, (_, index) => delivery('a', NOON - index * day))
  await findReceptions(all(clickHouse), many, PLENTY_MS)
  await findReceptions(all(clickHouse), many.slice(1), PLENTY_MS)
  assert.deepEqual(rangesOf(asked[3]?.sql), [[NOON - 12 * day - 3600, NOON]])
  assert.equal(rangesOf(asked[6]?.sql).length, 12)
})

test('a reception on a day that was removed is not found, also while its row is still there', async () => {
  const { clickHouse, asked } = scriptClickHouse()
  const retainedFrom = NOON - 43_200
  await findReceptions({ clickHouse, retainedFrom }, [delivery('a'), delivery('b', retainedFrom - 1)], PLENTY_MS)
  assert.deepEqual(asked.map(sentOf), [
    tableOf([[0, 7, 'a', NOON - 3600, NOON]]),
    tableOf([[0, 7, 'a', retainedFrom, NOON - 3601]]),
  ])
})

test('a search that takes too long ends with what was found; other failures are passed on', async () => {
  const late = scriptClickHouse([[[0, NOON]], new BudgetError('too long')])
  assert.deepEqual(await findReceptions(all(late.clickHouse), [delivery('a'), delivery('b')], PLENTY_MS), [
    NOON,
    undefined,
  ])
  assert.equal(late.asked.length, 2)
  const broken = scriptClickHouse([new Error('broken')])
  await assert.rejects(findReceptions(all(broken.clickHouse), [delivery('a')], PLENTY_MS), { message: 'broken' })
})
