import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { DatabasePages } from './database-pages.ts'
import { hasLostCommits, readWal } from './wal-frames.ts'

const FRAME = 4096 + 24

/** A copy of a database and its WAL, as a crash leaves them: one commit for each number. */
function leaveWal(folder: string, commits: number): string {
  const path = join(folder, 'live.db')
  using db = new Database(path)
  db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
  for (let n = 1; n <= commits; n++) db.run('INSERT INTO t (n, text) VALUES (?, ?)', n, 'x'.repeat(3000))
  const copy = join(folder, 'crashed.db')
  copyFileSync(path, copy)
  copyFileSync(`${path}-wal`, `${copy}-wal`)
  return copy
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

test('every frame of a sound WAL is intact, and the pages of a database include it', () => {
  using folder = openTemporaryFolder()
  const path = leaveWal(folder.path, 20)
  const frames = readWal(`${path}-wal`)
  assert.ok(frames.length > 20)
  assert.ok(frames.every(({ isIntact }) => isIntact))
  assert.equal(hasLostCommits(frames), false)
  using pages = new DatabasePages(path)
  assert.ok(pages.count > 20, 'the file itself is nearly empty')
  assert.ok(pages.read(1)?.toString('latin1').startsWith('SQLite format 3'))
  assert.deepEqual(pages.suspects, [])
})

test('a flipped bit anywhere before the last commit is noticed; SQLite itself drops the commits after it silently', () => {
  for (const at of [32 + 24 + 100, 32 + 10 * FRAME + 24 + 2000, 32 + 10 * FRAME + 5, 32 + 10 * FRAME + 18]) {
    using folder = openTemporaryFolder()
    const path = leaveWal(folder.path, 20)
    flip(`${path}-wal`, at)
    const frames = readWal(`${path}-wal`)
    assert.equal(hasLostCommits(frames), true, `at ${at}`)
    using db = new Database(path)
    const [row] = db.allArrays<[number]>("SELECT count(*) FROM sqlite_schema WHERE name = 't'")
    const rows = row?.[0] === 1 ? db.number('SELECT count(*) FROM t') : 0
    assert.ok(rows < 20, 'this is what the check is for')
  }
})

test('a last commit that was torn by a power cut was not acknowledged: nothing is lost', () => {
  using folder = openTemporaryFolder()
  const path = leaveWal(folder.path, 20)
  const wal = readFileSync(`${path}-wal`)
  flip(`${path}-wal`, wal.length - 500)
  assert.equal(hasLostCommits(readWal(`${path}-wal`)), false)
  writeFileSync(`${path}-wal`, wal.subarray(0, wal.length - 500))
  assert.equal(hasLostCommits(readWal(`${path}-wal`)), false)
})

test('frames from before the WAL was started over do not count', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'live.db')
  using db = new Database(path)
  db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
  for (let n = 1; n <= 20; n++) db.run('INSERT INTO t (n, text) VALUES (?, ?)', n, 'x'.repeat(3000))
  db.execute('PRAGMA wal_checkpoint(RESTART)')
  db.run('INSERT INTO t (n, text) VALUES (21, ?)', 'y')
  const frames = readWal(`${path}-wal`)
  assert.ok(frames.length > 0 && frames.length < 10, `${frames.length}`)
  assert.ok(frames.every(({ isIntact }) => isIntact))
})

test('a file that is no WAL has no frames', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'rubbish')
  assert.deepEqual(readWal(path), [])
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(10_000), Buffer.alloc(10_000, 7)]) {
    writeFileSync(path, bytes)
    assert.deepEqual(readWal(path), [])
  }
})
