import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../test/harness/temporary-folder.ts'
import { makeFolder } from './make-folder.ts'

test('missing folders are created for their owner alone, and existing ones stay', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'a/b/c')
  makeFolder(path)
  makeFolder(path)
  assert.equal(statSync(path).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder.path, 'a')).mode & 0o777, 0o700)
})

test('a folder that cannot be created is an error, and not an endless loop', () => {
  using folder = openTemporaryFolder()
  const file = join(folder.path, 'file')
  writeFileSync(file, '')
  assert.throws(() => makeFolder(file), { code: 'EEXIST' })
  assert.throws(() => makeFolder(join(file, 'below')), { code: 'ENOTDIR' })
  // Linux says ENOENT, although /proc exists.
  if (process.platform === 'linux') assert.throws(() => makeFolder('/proc/no-such-folder/below'), { code: 'ENOENT' })
})
