import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { WAL_PAGE_BYTES as PAGE, WAL_SALT as SALT, writeWal } from '../../../../test/harness/storage/written-wal.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { DatabasePages } from './database-pages.ts'
import { hasLostCommits, isPageSize, readWal } from './wal-frames.ts'

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

describe('a WAL in either order of bytes', () => {
  const frames = [
    { page: 1, pages: 0 },
    { page: 2, pages: 1 },
    { page: 7, pages: 2 },
    { page: 9, pages: 0 },
  ]
  for (const isBigEndian of [true, false]) {
    test(`is read up to its last commit: ${isBigEndian ? 'big' : 'little'} endian`, () => {
      using folder = openTemporaryFolder()
      const path = join(folder.path, 'wal')
      writeWal(path, frames, isBigEndian)
      const expected = [
        { page: 1, isIntact: true, isCommit: false },
        { page: 2, isIntact: true, isCommit: true },
        { page: 7, isIntact: true, isCommit: true },
      ]
      const read = () => readWal(path).map(({ content, ...frame }) => ({ ...frame, first: content[0] }))
      assert.deepEqual(
        read(),
        expected.map((frame) => ({ ...frame, first: frame.page })),
      )
      assert.ok(readWal(path).every(({ content }) => content.length === PAGE))
      // Without the salts of its header, those of the first frame.
      flip(path, 17)
      assert.deepEqual(
        read().map(({ page }) => page),
        [1, 2, 7],
      )
      assert.deepEqual(
        read().map(({ isIntact }) => isIntact),
        [true, true, true],
      )
    })

    test(`a flipped bit of a sum makes its frame and the next one suspect: ${isBigEndian}`, () => {
      for (const at of [16, 20]) {
        using folder = openTemporaryFolder()
        const path = join(folder.path, 'wal')
        writeWal(path, frames, isBigEndian)
        flip(path, 32 + at)
        assert.deepEqual(
          readWal(path).map(({ isIntact }) => isIntact),
          [false, false, true],
        )
      }
    })
  }

  test('frames with other salts are of a WAL before, the first one too', () => {
    using folder = openTemporaryFolder()
    const path = join(folder.path, 'wal')
    writeWal(path, [{ page: 1, pages: 1, salt: SALT - 1 }, ...frames], true)
    assert.deepEqual(
      readWal(path).map(({ page }) => page),
      [1, 2, 7],
    )
  })

  test('one without a frame, with half a header or with an impossible size of pages has no frames', () => {
    using folder = openTemporaryFolder()
    const path = join(folder.path, 'wal')
    writeWal(path, frames, true)
    const whole = readFileSync(path)
    for (const bytes of [whole.subarray(0, 32), whole.subarray(0, 31), whole.subarray(0, 32 + 24 + PAGE - 1)]) {
      writeFileSync(path, bytes)
      assert.deepEqual(readWal(path), [])
    }
    whole.writeUInt32BE(PAGE + 1, 8)
    writeFileSync(path, whole)
    assert.deepEqual(readWal(path), [])
  })

  test('one that cannot be read is not taken for an empty one', () => {
    using folder = openTemporaryFolder()
    assert.throws(() => readWal(folder.path), { code: 'EISDIR' })
  })
})

test('pages have a power of two as their size, from 512 to 65,536 bytes', () => {
  const sizes = [0, 256, 511, 512, 513, 768, 1024, 4096, 6144, 65_535, 65_536, 65_537, 131_072]
  assert.deepEqual(sizes.filter(isPageSize), [512, 1024, 4096, 65_536])
})

test('commits are lost if a whole one follows the commit that a damaged frame belongs to', () => {
  // I: intact, D: damaged; in capitals if it ends a commit.
  const frames = (text: string) =>
    [...text].map((letter) => ({
      page: 1,
      content: Buffer.alloc(0),
      isIntact: letter.toLowerCase() === 'i',
      isCommit: letter !== letter.toLowerCase(),
    }))
  for (const text of ['dIiI', 'DI', 'iIDI', 'IdIiI', 'DDI', 'dDI', 'ddDiI'])
    assert.equal(hasLostCommits(frames(text)), true, text)
  for (const text of ['', 'I', 'iIiI', 'D', 'd', 'ID', 'IdI', 'dI', 'IDi', 'ddD', 'IdD'])
    assert.equal(hasLostCommits(frames(text)), false, text)
})
