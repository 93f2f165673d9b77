import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { Database } from '../database/database.ts'
import { Installation } from './installation.ts'

/** `whileLocked`: somebody else writes meanwhile; who wants to write as well fails at once. */
function openScene() {
  const folder = openTemporaryFolder()
  openControlDatabase(folder.path).close()
  const db = new Database(join(folder.path, CONTROL_FILE), { busyTimeoutMs: 1 })
  const other = new Database(join(folder.path, CONTROL_FILE))
  return {
    installation: new Installation(db),
    whileLocked: (work: () => void) => other.transaction(work),
    [Symbol.dispose]() {
      other.close()
      db.close()
      folder[Symbol.dispose]()
    },
  }
}

test('numbers are reserved upwards, and without a write if they are reserved already', () => {
  using scene = openScene()
  const { installation } = scene
  assert.equal(installation.highestNumber, 0)
  for (const [number, highest] of [
    [7, 7],
    [3, 7],
    [9, 9],
  ] as const) {
    installation.reserve(number)
    assert.equal(installation.highestNumber, highest)
  }
  scene.whileLocked(() => {
    for (const number of [1, 9]) installation.reserve(number)
    assert.throws(() => installation.reserve(10), { errcode: 5 })
  })
  assert.equal(installation.highestNumber, 9)
})

test('the takeover of earlier days is noted once', () => {
  using scene = openScene()
  const { installation } = scene
  assert.equal(installation.isComplete, false)
  scene.whileLocked(() => assert.throws(() => installation.complete(), { errcode: 5 }))
  installation.complete()
  assert.equal(installation.isComplete, true)
  scene.whileLocked(() => installation.complete())
})

test('an installation has an identity of its own, until it becomes another one', () => {
  using one = openScene()
  using other = openScene()
  assert.match(one.installation.id, /^[0-9a-f]{32}$/)
  assert.notEqual(one.installation.id, other.installation.id)
  one.installation.become(other.installation.id)
  assert.equal(one.installation.id, other.installation.id)
})
