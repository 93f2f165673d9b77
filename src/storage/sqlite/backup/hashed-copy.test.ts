import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fs, { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { copyHashed, FLUSH_BYTES, hashFile } from './hashed-copy.ts'

/** How many bytes the copy had at each flush. */
function recordFlushes(work: () => void): readonly number[] {
  const sizes: number[] = []
  const { fsyncSync } = fs
  Object.assign(fs, {
    fsyncSync: (file: number) => {
      sizes.push(fs.fstatSync(file).size)
      fsyncSync(file)
    },
  })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, { fsyncSync })
    syncBuiltinESMExports()
  }
  return sizes
}

test('a copy has the content, the hash and the mode for its owner alone, and never replaces a file', () => {
  using folder = openTemporaryFolder()
  const [from, to] = [join(folder.path, 'from'), join(folder.path, 'to')]
  const content = Buffer.alloc(2_500_000, 'abc')
  writeFileSync(from, content)
  const expected = { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
  let seen = 0
  assert.deepEqual(
    copyHashed(from, to, (bytes) => (seen += bytes)),
    expected,
  )
  assert.equal(seen, content.length)
  assert.ok(readFileSync(to).equals(content))
  assert.equal(statSync(to).mode & 0o777, 0o600)
  assert.deepEqual(hashFile(to), expected)
  assert.throws(() => copyHashed(from, to), { code: 'EEXIST' })
})

test('a large copy is flushed in parts, so that no flush holds up the disk for long', () => {
  using folder = openTemporaryFolder()
  const from = join(folder.path, 'from')
  writeFileSync(from, '')
  // Takes no room on the disk.
  truncateSync(from, 2 * FLUSH_BYTES + 1)
  const flushes = recordFlushes(() => copyHashed(from, join(folder.path, 'to')))
  assert.deepEqual(flushes, [FLUSH_BYTES, 2 * FLUSH_BYTES, 2 * FLUSH_BYTES + 1])
})
