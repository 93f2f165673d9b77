/** The history index with its threads: built after a restart, damaged while it is in use, built again. */
import assert from 'node:assert/strict'
import { openSync, statSync, writeSync } from 'node:fs'
import { test } from 'node:test'
import { untilHistory, untilSummarized } from '../../../../test/harness/storage/history-progress.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { systemClock } from '../../../lib/clock.ts'
import { BASE_TIMESTAMP } from '../../contract/event-arbitraries.ts'
import { burst, listAll, listMessage, queryOf } from '../../contract/log-scene.ts'
import { requireCapability, type Storage } from '../../storage.ts'
import { Database } from '../database/database.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'
import { historyPath } from './history-database.ts'

const DAY = 86_400
const DAYS = 6
const DOMAIN = { number: 1, name: 'a.test' }

const openAt = (dataDir: string) =>
  openSqliteStorage({ dataDir, clock: systemClock, serviceMessageIdField: 'service_message_id', readers: 2 })

async function ask({ log }: Storage) {
  return {
    events: await listAll(log, queryOf([DOMAIN], 4)),
    counts: (await log.counts([1])).get(1)?.delivery,
    known: (await listMessage(log, [DOMAIN], 'message-2')).length,
    unknown: (await listMessage(log, [DOMAIN], 'message-99')).length,
  }
}

test('an index that is damaged while the server runs is replaced, and no answer is wrong', async () => {
  using folder = openTemporaryFolder()
  const first = await openAt(folder.path)
  for (let day = 0; day < DAYS; day++) await first.log.append([burst(day, DOMAIN, BASE_TIMESTAMP + day * DAY)])
  const expected = await ask(first)
  await first.close()

  const again = await openAt(folder.path)
  await untilSummarized(again)
  // Enough to be in the file itself and not in its WAL.
  await again.close()
  const storage = await openAt(folder.path)
  await using _ = { [Symbol.asyncDispose]: () => storage.close() }
  await untilSummarized(storage)
  const path = historyPath(folder.path)
  const garbage = Buffer.alloc(4096, 0xa5)
  const file = openSync(path, 'r+')
  for (let at = 4096; at < statSync(path).size; at += 4096) writeSync(file, garbage, 0, garbage.length, at)
  const lost = untilHistory(storage, (progress) => 'isLost' in progress)
  assert.deepEqual(await ask(storage), expected)
  await lost
  await untilSummarized(storage)
  assert.deepEqual(await ask(storage), expected)
  await storage.log.append([burst(99, DOMAIN, BASE_TIMESTAMP - 1)])
  assert.deepEqual(await ask(storage), {
    events: [...expected.events, burst(99, DOMAIN, BASE_TIMESTAMP - 1).event],
    counts: DAYS + 1,
    known: 1,
    unknown: 1,
  })
})

test('recount finds an index that says something else than the days, and it is built again', async () => {
  using folder = openTemporaryFolder()
  const first = await openAt(folder.path)
  for (let day = 0; day < DAYS; day++) await first.log.append([burst(day, DOMAIN, BASE_TIMESTAMP + day * DAY)])
  await first.close()
  const storage = await openAt(folder.path)
  await using _ = { [Symbol.asyncDispose]: () => storage.close() }
  await untilSummarized(storage)
  const recount = requireCapability(storage, 'recount')
  assert.deepEqual(await recount.run(), [])
  {
    using db = new Database(historyPath(folder.path))
    db.execute(`UPDATE total SET types = replace(types, '${DAYS}', '7')`)
  }
  const lost = untilHistory(storage, (progress) => 'isLost' in progress)
  assert.deepEqual(await recount.run(), ['history index: the total of domain 1 differs. It will be rebuilt.'])
  await lost
  await untilSummarized(storage)
  assert.deepEqual(await recount.run(), [])
})
