import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import { clearOlderThan, clearQuarantine } from './clear-quarantine.ts'
import { LOCAL, QUARANTINE_STEP } from './quarantine-room.ts'

/** More than one step removes. */
const RECORDS = 2 * QUARANTINE_STEP.removedRows + 1

async function openFull() {
  const { deps } = await openMemoryScene()
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    payload: Buffer.from(`record ${index}`),
    connector: index === 7 ? 'other' : 'plain',
    source: LOCAL,
    reason: 'r',
  }))
  await deps.quarantine.add(records, 1000)
  return deps.quarantine
}

/** How often other work gets the thread. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const watch = () => {
    turns++
    if (!isDone) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  isDone = true
  return turns
}

test('everything that matches is removed and counted, and other work runs between the steps', async () => {
  const quarantine = await openFull()
  const turns = await countTurns(async () => {
    assert.equal(await clearQuarantine(quarantine, { connector: 'plain' }), RECORDS - 1)
  })
  assert.equal(await quarantine.count(), 1)
  assert.ok(turns >= 2, `${turns} turns`)
})

test('records older than a time are removed and counted, and other work runs between the steps', async () => {
  const quarantine = await openFull()
  assert.equal(await clearOlderThan(quarantine, 1000), 0)
  const turns = await countTurns(async () => assert.equal(await clearOlderThan(quarantine, 1001), RECORDS))
  assert.equal(await quarantine.count(), 0)
  assert.ok(turns >= 1, `${turns} turns`)
})
