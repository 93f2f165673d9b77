import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { createSecretFile, readSecretFile, replaceSecretFile } from './secret-file.ts'

test('a secret is created once, with 32 bytes, for the owner only, and leaves no other files', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'some.key')
  assert.equal(readSecretFile(path), undefined)
  createSecretFile(path)
  const secret = readSecretFile(path)
  assert.equal(secret?.length, 32)
  createSecretFile(path)
  assert.deepEqual(readSecretFile(path), secret)
  assert.deepEqual(readdirSync(folder.path), ['some.key'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('a replaced secret is for the owner only, whatever the file was before', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'some.key')
  writeFileSync(path, 'old', { mode: 0o644 })
  replaceSecretFile(path, Buffer.alloc(32, 1))
  assert.deepEqual(readSecretFile(path), Buffer.alloc(32, 1))
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder.path), ['some.key'])
})

test('an empty, short or long file and a folder are refused', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'some.key')
  for (const length of [0, 5, 33]) {
    writeFileSync(path, Buffer.alloc(length))
    assert.throws(() => readSecretFile(path), new RegExp(`is damaged: it has ${length} bytes instead of 32`))
  }
  mkdirSync(join(folder.path, 'folder'))
  assert.throws(() => readSecretFile(join(folder.path, 'folder')), /is not a file: move it away/)
})
