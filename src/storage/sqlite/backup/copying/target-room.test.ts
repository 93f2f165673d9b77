import assert from 'node:assert/strict'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { TargetRoom } from './target-room.ts'

const MIB = 2 ** 20
const FREE_BLOCKS = 1000
const FREE = FREE_BLOCKS * MIB

/** With a disk that has this much free. */
function onDisk(work: () => void): void {
  const { statfsSync } = fs
  Object.assign(fs, { statfsSync: () => ({ bavail: FREE_BLOCKS, bsize: MIB }) })
  syncBuiltinESMExports()
  try {
    work()
  } finally {
    Object.assign(fs, { statfsSync })
    syncBuiltinESMExports()
  }
}

test('a backup fits that leaves 128 MiB free on the disk of the data, or fills another one', () => {
  using folder = openTemporaryFolder()
  onDisk(() => {
    const same = new TargetRoom(folder.path, folder.path)
    same.require(FREE - 128 * MIB)
    assert.throws(() => same.require(FREE - 128 * MIB + 1), {
      code: 'storage_unavailable',
      message: /needs 915 MB more, and 1,049 MB are free. 135 MB of that stay free for the server/,
    })
    const other = new TargetRoom(folder.path, '/proc')
    other.require(FREE)
    assert.throws(() => other.require(FREE + 1), { message: /needs 1,049 MB more, and 1,049 MB are free\.$/ })
  })
})
