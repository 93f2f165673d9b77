import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scriptClickHouse } from '../../../../test/harness/storage/clickhouse/scripted-clickhouse.ts'
import { findNewestTimestamp } from './newest-timestamp.ts'

test('the newest event is looked for in the last hour with counts, and in all hours if its events were erased', async () => {
  const found = scriptClickHouse([[[10, 3]], [[36_500, 2]]])
  assert.equal(await findNewestTimestamp(found.clickHouse, 0), 36_500)
  assert.match(found.asked[0]?.sql ?? '', /hour >= 0 AND domain < \d+/)
  assert.match(found.asked[1]?.sql ?? '', /timestamp >= 36000 AND domain < \d+/)

  const erased = scriptClickHouse([[[10, 3]], [[0, 0]], [[7300, 1]]])
  assert.equal(await findNewestTimestamp(erased.clickHouse, 7250), 7300)
  assert.match(erased.asked[0]?.sql ?? '', /hour >= 2 AND/)
  assert.match(erased.asked[2]?.sql ?? '', /timestamp >= 7250 AND/)
})

test('without counts, or without events, there is none', async () => {
  const empty = scriptClickHouse([[[0, 0]]])
  assert.equal(await findNewestTimestamp(empty.clickHouse, 0), undefined)
  assert.equal(empty.asked.length, 1)
  assert.equal(await findNewestTimestamp(scriptClickHouse([[[10, 1]], [[0, 0]], [[0, 0]]]).clickHouse, 0), undefined)
  assert.equal(await findNewestTimestamp(scriptClickHouse().clickHouse, 0), undefined)
})
