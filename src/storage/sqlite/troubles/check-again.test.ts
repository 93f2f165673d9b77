import assert from 'node:assert/strict'
import fs, { readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { openDataFolder } from '../manifest/check-days.ts'
import { checkAgain } from './check-again.ts'

const DAY = '2026-03-01'

/** A day without events. */
function openScene() {
  const folder = openTemporaryFolder()
  using control = openControlDatabase(folder.path)
  const { files } = openDataFolder(folder.path, control)
  files.openForWriting(DAY, 1024).close()
  const path = files.path(DAY)
  return {
    path,
    whole: readFileSync(path),
    check: (read?: (path: string) => void, day: string = DAY) => checkAgain({ dataDir: folder.path, day }, read),
    /** All but the first page, which tells that it is a database. */
    damage: () => writeFileSync(path, readFileSync(path).fill(7, 4096)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const failure = (code: string) => Object.assign(new Error(code), { code })

test('a day that can be read is ours again; one without a file has no finding', () => {
  using scene = openScene()
  assert.equal(scene.check()?.verdict, 'own')
  assert.equal(scene.check(undefined, '2026-03-02'), undefined)
})

test('both files of the day are read before SQLite is asked, up to the first that the disk does not return', () => {
  using scene = openScene()
  const read: string[] = []
  assert.equal(scene.check((path) => read.push(path))?.verdict, 'own')
  assert.deepEqual(read, [scene.path, `${scene.path}-wal`])
  const finding = scene.check(() => {
    throw failure('EIO')
  })
  assert.deepEqual([finding?.verdict, finding?.highestNumber], ['unreadable', 0])
  const failing = () => {
    throw failure('EISDIR')
  }
  assert.throws(() => scene.check(failing), { code: 'EISDIR' })
})

test('the disk has to return all of a file', () => {
  using scene = openScene()
  const { readSync } = fs
  const bytes: number[] = []
  Object.assign(fs, {
    readSync(...values: Parameters<typeof readSync>) {
      const count = readSync(...values)
      bytes.push(count)
      return count
    },
  })
  syncBuiltinESMExports()
  try {
    scene.check()
  } finally {
    Object.assign(fs, { readSync })
    syncBuiltinESMExports()
  }
  assert.deepEqual(bytes, [scene.whole.length, 0])
})

test('what SQLite cannot read twice is damaged; once may have been the disk', () => {
  using scene = openScene()
  scene.damage()
  const finding = scene.check()
  assert.equal(finding?.verdict, 'damaged')
  assert.match('detail' in finding ? finding.detail : '', /although the disk returns all of it/)
  let reads = 0
  const recovered = scene.check(() => {
    if (++reads === 3) writeFileSync(scene.path, scene.whole)
  })
  assert.deepEqual([recovered?.verdict, reads], ['own', 4])
})
