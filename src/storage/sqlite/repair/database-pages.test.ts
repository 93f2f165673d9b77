import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { WAL_PAGE_BYTES, writeWal } from '../../../../test/harness/storage/written-wal.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { DatabasePages } from './database-pages.ts'

const MAGIC = 'SQLite format 3\0'

interface Header {
  readonly magic?: string
  /** As it is in the header. */
  readonly size?: number
  readonly reserved?: number
  readonly firstFree?: number
}

/** A file of this many bytes, filled with ones after the header. */
function fileOf(bytes: number, { magic = MAGIC, size = 512, reserved = 0, firstFree = 0 }: Header = {}): Buffer {
  const file = Buffer.alloc(bytes, 1)
  file.write(magic, 'latin1')
  file.writeUInt16BE(size, 16)
  file.writeUInt8(reserved, 20)
  file.writeUInt32BE(firstFree, 32)
  return file
}

/** The pages of a file while `use` runs. */
function withPages<T>(content: Buffer, use: (pages: DatabasePages) => T, wal: Parameters<typeof writeWal>[1] = []): T {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  writeFileSync(path, content)
  if (wal.length > 0) writeWal(`${path}-wal`, wal, true)
  using pages = new DatabasePages(path)
  return use(pages)
}

test('the size of pages is that of the header, or the usual one if the header is damaged', () => {
  const sizes: readonly [header: Header, usable: number, pages: number][] = [
    [{ size: 512 }, 512, 256],
    [{ size: 512, reserved: 31 }, 481, 256],
    // More is not allowed.
    [{ size: 512, reserved: 32 }, 512, 256],
    [{ size: 512, reserved: 255 }, 512, 256],
    [{ size: 1 }, 65_536, 2],
    [{ size: 600 }, 4096, 32],
    [{ size: 0 }, 4096, 32],
    [{ size: 512, reserved: 8, magic: 'SQLite format 4\0' }, 4096, 32],
    [{ size: 512, reserved: 8, magic: 'sQLite format 3\0' }, 4096, 32],
    [{ size: 512, reserved: 8, magic: 'SQLite format 3\x01' }, 4096, 32],
  ]
  for (const [header, usable, count] of sizes) {
    const found = withPages(fileOf(131_072, header), (pages) => [
      pages.usableBytes,
      pages.count,
      pages.read(1)?.length === 131_072 / count,
    ])
    assert.deepEqual(found, [usable, count, true], JSON.stringify(header))
  }
})

test('pages have the numbers from 1 on, and what is missing of the last one is zeros', () => {
  withPages(fileOf(1024), (pages) => {
    assert.equal(pages.count, 2)
    assert.equal(pages.read(1)?.toString('latin1', 0, 16), MAGIC)
    assert.deepEqual(pages.read(2), Buffer.alloc(512, 1))
    for (const beyond of [-1, 0, 3]) assert.equal(pages.read(beyond), undefined)
  })
  withPages(fileOf(1025), (pages) => {
    assert.equal(pages.count, 3)
    assert.deepEqual(pages.read(3), Buffer.concat([Buffer.of(1), Buffer.alloc(511)]))
  })
})

test('the newest version of a page in the WAL is the page, unless it is damaged or of another size', () => {
  const wal = [
    { page: 2, pages: 0 },
    { page: 7, pages: 7 },
  ]
  withPages(
    fileOf(1024),
    (pages) => {
      assert.deepEqual([pages.count, pages.suspects], [7, []])
      assert.deepEqual(pages.read(2), Buffer.alloc(WAL_PAGE_BYTES, 2))
      assert.deepEqual(pages.read(7), Buffer.alloc(WAL_PAGE_BYTES, 7))
      assert.equal(pages.read(3), undefined)
    },
    wal,
  )
  withPages(
    fileOf(8192, { size: 4096 }),
    (pages) => {
      assert.deepEqual([pages.count, pages.suspects], [2, []])
      assert.deepEqual(pages.read(2), Buffer.alloc(4096, 1))
    },
    wal,
  )
})

test('free pages are those that SQLite lists', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  {
    using db = new Database(path)
    db.execute('CREATE TABLE kept (text TEXT); CREATE TABLE dropped (text TEXT)')
    // More than one page of the list has room for.
    db.transaction(() => {
      for (let row = 0; row < 1100; row++) db.run('INSERT INTO dropped VALUES (?)', 'x'.repeat(3900))
    })
    db.run('INSERT INTO kept VALUES (?)', 'y'.repeat(3900))
    db.execute('DROP TABLE dropped')
  }
  using db = new Database(path, { readOnly: true })
  using pages = new DatabasePages(path)
  const free = pages.listFree()
  assert.ok(free.size > 1024)
  assert.equal(free.size, db.number('PRAGMA freelist_count'))
  assert.ok([...free].every((number) => number > 1 && number <= pages.count))
})

test('a list of free pages that is damaged ends early', () => {
  /** A file of five pages whose list begins on page 2. */
  const listFree = (trunks: Readonly<Record<number, readonly number[]>>, firstFree = 2) => {
    const file = fileOf(5 * 512, { firstFree })
    for (const [number, words] of Object.entries(trunks)) {
      for (const [index, word] of words.entries()) file.writeUInt32BE(word, (Number(number) - 1) * 512 + index * 4)
    }
    return withPages(file, (pages) => [...pages.listFree()])
  }
  assert.deepEqual(listFree({ 2: [5, 2, 3, 4], 5: [0, 0] }), [2, 3, 4, 5])
  assert.deepEqual(listFree({ 2: [0, 0] }, 0), [])
  assert.deepEqual(listFree({ 2: [2, 1, 3] }), [2, 3], 'a circle')
  assert.deepEqual(listFree({ 2: [6, 1, 3] }), [2, 3], 'beyond the end')
  assert.deepEqual(listFree({}, 6), [], 'all of it')
  // No more than fit into a page.
  const words = Array.from({ length: 126 }, (_, index) => 100 + index)
  assert.equal(listFree({ 2: [0, 0xff_ff_ff_ff, ...words] }).length, 127)
})
