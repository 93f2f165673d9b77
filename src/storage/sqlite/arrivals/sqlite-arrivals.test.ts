/** Following arrivals does not depend on the clock. The rest is in the contract. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Storage } from '../../storage.ts'
import { openSqliteStorage } from '../open-sqlite-storage.ts'

const HOUR_MS = 3_600_000
const DAY = 86_400
const DOMAIN = { number: 1, name: 'a.test' }

async function openLog(clock: () => number) {
  const folder = openTemporaryFolder()
  const open = () => openSqliteStorage({ dataDir: folder.path, clock, serviceMessageIdField: 'service_message_id' })
  let storage = await open()
  const restart = async () => {
    await storage.close()
    storage = await open()
  }
  const close = async () => {
    await storage.close()
    folder[Symbol.dispose]()
  }
  return { restart, storage: (): Storage => storage, [Symbol.asyncDispose]: close }
}

async function append({ log }: Storage, id: string, daysAgo: number): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1000) - daysAgo * DAY
  const event = { id, timestamp, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  assert.equal((await log.append([{ domainNumber: 1, event }])).stored, 1)
}

async function follow({ log }: Storage, after: string) {
  const page = await log.arrivals.list({ domains: [DOMAIN], filters: {}, after, limit: 10, budgetMs: 1000 })
  return { ids: page.events.map(({ text }) => JSON.parse(text).id as string), position: page.position }
}

test('a position issued while the clock was ahead misses no event', async () => {
  let nowMs = Date.now()
  await using scene = await openLog(() => nowMs)
  await append(scene.storage(), 'before', 3)
  nowMs += HOUR_MS
  const ahead = await follow(scene.storage(), await scene.storage().log.arrivals.last())
  nowMs -= HOUR_MS
  await append(scene.storage(), 'after', 3)
  await append(scene.storage(), 'another day', 2)
  assert.deepEqual((await follow(scene.storage(), ahead.position)).ids, ['after', 'another day'])
})

test('no event is missed after a restart with the clock set back', async () => {
  let nowMs = Date.now()
  await using scene = await openLog(() => nowMs)
  await append(scene.storage(), 'old', 3)
  await append(scene.storage(), 'new', 0)
  const position = await scene.storage().log.arrivals.last()
  await scene.restart()
  nowMs -= HOUR_MS
  await append(scene.storage(), 'a day that did not exist', 5)
  assert.deepEqual((await follow(scene.storage(), position)).ids, ['a day that did not exist'])
})

test('a day that the position does not name is read from its first commit after that time', async () => {
  let nowMs = Date.now()
  await using scene = await openLog(() => nowMs)
  for (let index = 0; index < 20; index++) await append(scene.storage(), `early ${index}`, 3)
  nowMs += HOUR_MS
  await append(scene.storage(), 'today', 0)
  const position = await scene.storage().log.arrivals.last()
  nowMs += HOUR_MS
  for (let index = 0; index < 3; index++) await append(scene.storage(), `late ${index}`, 3)
  const { ids } = await follow(scene.storage(), position)
  assert.deepEqual(ids, ['late 0', 'late 1', 'late 2'])
})
