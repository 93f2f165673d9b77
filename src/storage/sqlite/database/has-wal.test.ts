import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { hasWal } from './has-wal.ts'

test('a WAL counts if there is anything in it', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'a.db')
  assert.equal(hasWal(path), false)
  writeFileSync(`${path}-wal`, '')
  assert.equal(hasWal(path), false)
  writeFileSync(`${path}-wal`, 'x')
  assert.equal(hasWal(path), true)
})
