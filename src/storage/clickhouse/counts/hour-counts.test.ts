import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import type { SeriesQuery } from '../../../stats/series.ts'
import { DeliveredHours } from '../reading/delivered-hours.ts'
import { listHourCounts } from './hour-counts.ts'

const QUERY: SeriesQuery = { domainNumbers: [7], fromHour: 10, toHour: 20, filters: {}, group: 'type' }

async function list(query: Partial<SeriesQuery>, answers: Parameters<typeof scriptClickHouse>[0] = []) {
  const { clickHouse, asked } = scriptClickHouse(answers)
  const parts = []
  for await (const part of listHourCounts(clickHouse, { ...QUERY, ...query })) parts.push(part)
  return { parts, sql: asked.map(({ sql }) => sql.replace(/\s+/g, ' ')) }
}

test('nothing is asked without domains or hours', async () => {
  assert.deepEqual(await list({ domainNumbers: [] }), { parts: [], sql: [] })
  assert.deepEqual(await list({ fromHour: 20 }), { parts: [], sql: [] })
  assert.equal((await list({ fromHour: 19 })).sql.length, 1)
})

test('the range, the domains and the filters are conditions', async () => {
  const plain = await list({ fromHour: -5, filters: { types: ['Bounce'], providers: ['p'], classifications: ['c'] } })
  assert.match(
    plain.sql[0] ?? '',
    /SELECT hour AS counted_hour, toString\(type\) AS .* FROM event_hour WHERE domain IN \(7\) AND hour >= 0 AND hour < 20 AND type IN \(6\) AND provider IN \('p'\) AND classification IN \('c'\) AND 1 GROUP/,
  )
  const sending = await list({ group: 'kind', filters: { classifications: ['c'], sendingPools: ['x'] } })
  assert.match(sending.sql[0] ?? '', /'' AS counted_key.* FROM sending_hour .* AND \(origin != ''/)
  assert.doesNotMatch(sending.sql[0] ?? '', /classification/)
  const byDay = await list({ byDay: true })
  assert.match(byDay.sql[0] ?? '', /SELECT intDiv\(hour, 24\) \* 24 AS counted_hour/)
})

test('each group is a column, or a part of the origin', async () => {
  const keyOf = async (query: Partial<SeriesQuery>) =>
    / AS counted_hour, (.*?) AS counted_key/.exec((await list(query)).sql[0] ?? '')?.[1]
  assert.equal(await keyOf({ group: 'provider' }), 'provider')
  assert.equal(await keyOf({ group: 'classification' }), 'classification')
  assert.equal(await keyOf({ group: 'classification', filters: { sendingPools: ['x'] } }), "''")
  assert.equal(await keyOf({ group: 'provider', filters: { sendingPools: ['x'] } }), 'provider')
  const part = (index: number) => `if(origin = '', '(other)', splitByChar('\\n', origin)[${index}])`
  assert.equal(await keyOf({ group: 'sending_address' }), part(1))
  assert.equal(await keyOf({ group: 'sending_source' }), part(2))
  assert.equal(await keyOf({ group: 'sending_pool' }), part(3))
  assert.match((await keyOf({ group: 'sending_kind' })) ?? '', /^concat\(toString\(type\), .*\[1\]\), /)
})

test('types are named; other keys are as they are', async () => {
  const { parts } = await list({}, [
    [
      [10, 1, 5],
      [11, 99, 6],
    ],
  ])
  assert.deepEqual(parts, [
    [
      { hour: 10, key: 'Delivery', count: 5 },
      { hour: 11, key: '', count: 6 },
    ],
  ])
  assert.deepEqual((await list({ group: 'domain' }, [[[10, 7, 5]]])).parts, [[{ hour: 10, key: '7', count: 5 }]])
})

test('50,000 counts may be followed by more, which are asked for after the last one', async () => {
  const full = Array.from({ length: 50_000 }, (_, index) => [10, `it's ${index}`, 1])
  const { parts, sql } = await list({ group: 'provider' }, [full, [[11, 'z', 1]]])
  assert.deepEqual(
    parts.map(({ length }) => length),
    [50_000, 1],
  )
  assert.match(sql[1] ?? '', /WHERE \(counted_hour, counted_key\) > \(10, 'it\\'s 49999'\) ORDER BY/)
  assert.equal((await list({ group: 'provider' }, [full.slice(1)])).sql.length, 1)
})

test('the hours with deliveries are those of the counts, in the hours that a window touches', async () => {
  const { clickHouse, asked } = scriptClickHouse([[[10, 1, 5]]])
  const window = { startTimestamp: 9 * 3600, endTimestamp: 12 * 3600 }
  const hours = await DeliveredHours.read(clickHouse, { domains: [{ number: 7, name: 'a.test' }], window })
  assert.match(asked[0]?.sql ?? '', /hour >= 9 AND hour < 13 AND type IN \(1\)/)
  const areIn = (startTimestamp: number, endTimestamp: number) => hours.areIn({ startTimestamp, endTimestamp })
  assert.deepEqual(
    [
      areIn(9 * 3600, 10 * 3600 - 1),
      areIn(9 * 3600, 10 * 3600),
      areIn(11 * 3600 - 1, 12 * 3600),
      areIn(11 * 3600, 12 * 3600),
    ],
    [false, true, true, false],
  )
})
