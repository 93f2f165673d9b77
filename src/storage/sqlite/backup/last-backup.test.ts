import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { readLastBackup, writeLastBackup } from './last-backup.ts'

test('what was written about the last backup is read again; a file that is damaged counts as none', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'last-backup.json')
  assert.equal(readLastBackup(folder.path), undefined)
  const last = { finishedAtMs: 1, durationMs: 2, bytes: 3, problems: 0, folder: '/backups/one' }
  writeLastBackup(folder.path, last)
  assert.deepEqual(readLastBackup(folder.path), last)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  for (const name of Object.keys(last)) {
    writeFileSync(path, JSON.stringify({ ...last, [name]: null }))
    assert.equal(readLastBackup(folder.path), undefined, name)
  }
  writeFileSync(path, '{')
  assert.equal(readLastBackup(folder.path), undefined)
})
