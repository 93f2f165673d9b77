import assert from 'node:assert/strict'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { MASTER_KEY_FILE, openMasterKey } from './master-key.ts'

test('the key is created once, with 32 bytes, for the owner only, and leaves no other files', () => {
  using folder = openTemporaryFolder()
  const key = openMasterKey(folder.path)
  assert.equal(key.length, 32)
  assert.deepEqual(openMasterKey(folder.path), key)
  assert.deepEqual(readdirSync(folder.path), [MASTER_KEY_FILE])
  assert.equal(statSync(join(folder.path, MASTER_KEY_FILE)).mode & 0o777, 0o600)
})

test('a missing key is not silently replaced if there is data', () => {
  using folder = openTemporaryFolder()
  assert.throws(() => openMasterKey(folder.path, true), /is missing.*Restore it from a backup/)
  assert.deepEqual(readdirSync(folder.path), [])
})

test('a key of another length is refused', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, MASTER_KEY_FILE)
  writeFileSync(path, 'short')
  chmodSync(path, 0o600)
  assert.throws(() => openMasterKey(folder.path), /is damaged: it has 5 bytes instead of 32/)
})
