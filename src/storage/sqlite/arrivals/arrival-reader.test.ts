/** Positions pass from one reading thread to another; the threads may know different commits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestStorage } from '../../../../test/harness/storage/sqlite-storage.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst } from '../../contract/log-scene.ts'
import { DayFiles } from '../days/day-files.ts'
import { HistoryReader } from '../history/history-reader.ts'
import { SEARCH_THRESHOLDS } from '../reading/day-plan.ts'
import { DayReaders } from '../reading/day-readers.ts'
import { ArrivalReader } from './arrival-reader.ts'

const DAY = 86_400
const DOMAIN = { number: 1, name: 'a.test' }

/** Reads the files as a thread does that starts now and is not told of later commits. */
function openReader(dataDir: string) {
  const readers = new DayReaders(new DayFiles(dataDir), 'service_message_id', SEARCH_THRESHOLDS, {
    history: new HistoryReader(dataDir),
  })
  const reader = new ArrivalReader(readers)
  return {
    last: () => reader.last(),
    async follow(after: string) {
      const page = await reader.list({ domains: [DOMAIN], filters: {}, after, limit: 10, budgetMs: 1000 })
      return { ids: page.events.map(({ text }) => JSON.parse(text).id as string), position: page.position }
    },
    [Symbol.dispose]: () => readers.close(),
  }
}

test('a position of a thread that has seen a later commit repeats nothing on one that has not', async () => {
  await using storage = await openTestStorage()
  await storage.log.append([burst(0, DOMAIN)])
  using behind = openReader(storage.dataDir)
  await behind.last()
  await storage.log.append([burst(1, DOMAIN)])
  using ahead = openReader(storage.dataDir)
  const { ids, position } = await behind.follow(await ahead.last())
  assert.deepEqual(ids, [])
  assert.deepEqual((await ahead.follow(position)).ids, [])
})

test('the same with a day that did not exist before', async () => {
  await using storage = await openTestStorage()
  await storage.log.append([burst(0, DOMAIN)])
  using behind = openReader(storage.dataDir)
  await behind.last()
  await storage.log.append([burst(1, DOMAIN, BASE_TIMESTAMP + DAY)])
  using ahead = openReader(storage.dataDir)
  const { ids, position } = await behind.follow(await ahead.last())
  assert.deepEqual(ids, [])
  assert.deepEqual((await ahead.follow(position)).ids, [])
})
