/** A history index that says something else than the days is found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSummarizedLog } from '../../../../test/harness/storage/summarized-log.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst } from '../../contract/log-scene.ts'
import { Database } from '../database/database.ts'
import { dayOfTimestamp } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { findHistoryDifference } from './compare-history.ts'
import { historyPath } from './history-database.ts'

const DAY = 86_400
const DOMAINS = [1, 2].map((number) => ({ number, name: `${number}.test` }))

/** Two domains on each of three days, all in the index. */
async function openScene() {
  const log = await openSummarizedLog({ isAutomatic: false })
  for (const day of [0, 1, 2])
    await log.log.append(DOMAINS.map((domain) => burst(day, domain, BASE_TIMESTAMP + day * DAY)))
  await log.summarize()
  const find = (setAside: readonly string[] = []) =>
    findHistoryDifference(log.dataDir, new DayFiles(log.dataDir), setAside)
  const change = (sql: string) => {
    using db = new Database(historyPath(log.dataDir))
    db.execute(sql)
  }
  return { log, find, change, [Symbol.asyncDispose]: () => log[Symbol.asyncDispose]() }
}

const changes: Readonly<Record<string, readonly [sql: string, difference: RegExp]>> = {
  'counts of a domain and a day': [
    `UPDATE domain_day SET types = replace(types, '1', '2') WHERE domain = 2`,
    /: the counts of domain 2 differ$/,
  ],
  'counts by hour': ['UPDATE domain_day SET hours = NULL WHERE domain = 1', /: the counts of domain 1 differ$/],
  'counts of a span': ['DELETE FROM domain_span WHERE domain = 2', /: the counts of domain 2 differ$/],
  'a domain': ['DELETE FROM domain_day WHERE domain = 2', /: domain 2 is missing$/],
  'the number of events': ['UPDATE day SET events = events + 1', /: the number of events differs$/],
  'a total': [`UPDATE total SET types = replace(types, '3', '4') WHERE domain = 1`, /^the total of domain 1 differs$/],
  'no total': ['DELETE FROM total WHERE domain = 2', /^the total of domain 2 is missing$/],
  'a checksum': [`UPDATE domain_span SET counts = X'0102030405' WHERE domain = 1`, /wrong checksum/],
}

for (const [name, [sql, difference]] of Object.entries(changes)) {
  test(`${name}: found`, async () => {
    await using scene = await openScene()
    assert.equal(scene.find(), undefined)
    scene.change(sql)
    assert.match(scene.find() ?? '', difference)
  })
}

test('a day that is removed while it is opened is left out', async () => {
  await using scene = await openScene()
  scene.change('UPDATE day SET events = events + 1')
  const files = new DayFiles(scene.log.dataDir)
  const open = files.openForReading.bind(files)
  files.openForReading = (day, cacheKib) => {
    files.remove(day)
    return open(day, cacheKib)
  }
  assert.equal(findHistoryDifference(scene.log.dataDir, files, []), undefined)
  assert.deepEqual(files.listAll(), [])
})

test('days that are open, or set aside, are left out', async () => {
  await using scene = await openScene()
  const [first, second, third] = [0, 1, 2].map((day) => dayOfTimestamp(BASE_TIMESTAMP + day * DAY))
  scene.change('UPDATE day SET events = events + 1')
  assert.notEqual(scene.find([first ?? '', second ?? '']), undefined)
  assert.equal(scene.find([first ?? '', second ?? '', third ?? '']), undefined)
  scene.change('UPDATE day SET is_open = 1')
  assert.equal(scene.find(), undefined)
})
