/** Rows are read from the pages of a file as SQLite itself reads them. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database, type SqlValue } from '../database/database.ts'
import { type Row, readRows } from './cells.ts'
import { DatabasePages } from './database-pages.ts'
import { decodeRecord, readVarint } from './record.ts'

function readAll(path: string): { rows: Row[]; unreadable: number } {
  using pages = new DatabasePages(path)
  const free = pages.listFree()
  const all: { rows: Row[]; unreadable: number } = { rows: [], unreadable: 0 }
  for (let number = 1; number <= pages.count; number++) {
    const page = pages.read(number)
    if (!page || free.has(number)) continue
    const { rows, unreadable } = readRows(pages, number, page)
    all.rows.push(...rows)
    all.unreadable += unreadable
  }
  return all
}

/** Texts whose rows end around the lengths from which SQLite continues them on other pages. */
function listLengths(): readonly number[] {
  const around = (middle: number) => Array.from({ length: 60 }, (_, index) => middle - 30 + index)
  return [0, 1, 100, ...[480, 990, 4050, 4570, 8150, 12_240].flatMap(around)]
}

test('rows of every length, in tables with and without a rowid and in indexes', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  const lengths = listLengths()
  {
    using db = new Database(path)
    db.execute('CREATE TABLE own (n INTEGER PRIMARY KEY, text TEXT); CREATE INDEX by_text ON own (text)')
    db.execute('CREATE TABLE other (text TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID')
    db.transaction(() => {
      for (const [index, length] of lengths.entries()) {
        const text = `${String(index).padStart(5, '0')}${'x'.repeat(length)}`
        db.run('INSERT INTO own VALUES (?, ?)', index + 1000, text)
        db.run('INSERT INTO other VALUES (?, ?)', `other ${text}`, -index - 1000)
      }
    })
  }
  const { rows, unreadable } = readAll(path)
  assert.equal(unreadable, 0)
  const shown = (values: readonly SqlValue[]) =>
    values.map((value) => (typeof value === 'string' ? value.length : value))
  const found = (isWanted: (row: Row) => boolean) =>
    rows.filter(isWanted).map(({ rowid, values }) => [rowid, ...shown(values)])
  const expected = (toRow: (length: number, index: number) => unknown) => lengths.map(toRow)
  const byNumber = (a: readonly unknown[], b: readonly unknown[]) => Number(a.at(-1)) - Number(b.at(-1))
  assert.deepEqual(
    found(({ rowid = 0 }) => rowid >= 1000).sort((a, b) => Number(a[0]) - Number(b[0])),
    expected((length, index) => [index + 1000, null, length + 5]),
  )
  assert.deepEqual(
    found(({ rowid, values }) => rowid === undefined && Number(values[1]) >= 1000).sort(byNumber),
    expected((length, index) => [undefined, length + 5, index + 1000]),
  )
  assert.deepEqual(
    found(({ rowid, values }) => rowid === undefined && Number(values[1]) <= -1000)
      .sort(byNumber)
      .toReversed(),
    expected((length, index) => [undefined, length + 11, -index - 1000]),
  )
  const texts = rows.flatMap(({ rowid = 0, values }) => (rowid >= 1000 ? [String(values[1])] : []))
  assert.ok(
    texts.every((text) => /^\d{5}x*$/.test(text)),
    'the parts are in order',
  )
})

test('values of every type and size', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  const numbers = [0, 1, 2, 127, 128, 32_767, 32_768, 2 ** 23 - 1, 2 ** 23, 2 ** 31 - 1, 2 ** 31, 2 ** 47 - 1, 2 ** 47]
  const values: SqlValue[] = [
    null,
    ...numbers.flatMap((number) => [number, -number - 1]),
    Number.MAX_SAFE_INTEGER,
    -Number.MAX_SAFE_INTEGER,
    '',
    'ö😀\ufeff',
    new Uint8Array(0),
    Uint8Array.of(0, 255, 7),
  ]
  {
    using db = new Database(path)
    db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, value INTEGER)')
    for (const [index, value] of values.entries()) db.run('INSERT INTO t VALUES (?, ?)', index + 1000, value)
  }
  const found = readAll(path).rows.filter(({ rowid = 0 }) => rowid >= 1000)
  assert.deepEqual(
    found.map((row) => row.values[1]),
    values,
  )
})

test('a cell that is damaged is counted and does not keep the others of its page', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  {
    using db = new Database(path)
    db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
    for (let n = 1000; n < 1010; n++) db.run('INSERT INTO t VALUES (?, ?)', n, `text ${n}`)
  }
  const bytes = readFileSync(path)
  // The pointer to the second cell of the second page leads beyond the page.
  bytes.writeUInt16BE(4095, 4096 + 8 + 2)
  writeFileSync(path, bytes)
  const { rows, unreadable } = readAll(path)
  assert.equal(unreadable, 1)
  assert.deepEqual(
    rows.flatMap(({ rowid = 0 }) => (rowid >= 1000 ? [rowid] : [])),
    [1000, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009],
  )
})

/** A page with a header of this type and number of cells, all of whose pointers are 0. */
function pageOf(type: number, cells: number, start = 0): Buffer {
  const page = Buffer.alloc(4096)
  page.writeUInt8(type, start)
  page.writeUInt16BE(cells, start + 3)
  return page
}

/** A file of two pages, of which the second names itself as its continuation. */
function openPages(folder: { readonly path: string }): DatabasePages {
  const path = join(folder.path, 'x.db')
  {
    using db = new Database(path)
    db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
  }
  const bytes = readFileSync(path)
  bytes.writeUInt32BE(2, 4096)
  writeFileSync(path, bytes)
  return new DatabasePages(path)
}

/** A page with one row that says to have this length, and continues on the second page after `local` bytes. */
function longRow(length: readonly number[], local: number): Buffer {
  const page = pageOf(0x0d, 1)
  page.writeUInt16BE(100, 8)
  Buffer.of(...length, 1).copy(page, 100)
  page.writeUInt32BE(2, 100 + length.length + 1 + local)
  return page
}

test('pages of a b-tree are recognized by their type, if they have room for as many cells as they name', () => {
  using folder = openTemporaryFolder()
  using pages = openPages(folder)
  const isTree = (type: number, cells: number, number = 2) =>
    readRows(pages, number, pageOf(type, cells, number === 1 ? 100 : 0)).isTree
  for (const [type, most] of [
    [0x0d, 2044],
    [0x0a, 2044],
    [0x02, 2042],
  ] as const) {
    assert.deepEqual(
      [0, most, most + 1].map((cells) => isTree(type, cells)),
      [true, true, false],
    )
  }
  assert.deepEqual(
    [1994, 1995].map((cells) => isTree(0x0d, cells, 1)),
    [true, false],
  )
  assert.deepEqual(readRows(pages, 2, pageOf(0x05, 9)), { rows: [], unreadable: 0, isTree: true })
  for (const type of [0, 1, 3, 0x0c, 0x0e, 0x66]) {
    assert.deepEqual(readRows(pages, 2, pageOf(type, 1)), { rows: [], unreadable: 0, isTree: false })
  }
})

test('a row of the first page is read after the header of the file', () => {
  using folder = openTemporaryFolder()
  using pages = openPages(folder)
  const { rows } = readRows(pages, 1, pages.read(1) ?? Buffer.alloc(0))
  assert.deepEqual(
    rows.map(({ values }) => values.slice(0, 2)),
    [['table', 't']],
  )
})

test('a row that is longer than the file is refused, though its pages are a circle', () => {
  using folder = openTemporaryFolder()
  using pages = openPages(folder)
  const page = longRow([0x8f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], 489)
  assert.deepEqual(readRows(pages, 2, page), { rows: [], unreadable: 1, isTree: true })
})

test('a disk that fails is not taken for a damaged cell', () => {
  using folder = openTemporaryFolder()
  const pages = openPages(folder)
  pages[Symbol.dispose]()
  assert.throws(() => readRows(pages, 2, longRow([0xa7, 0x08], 908)), { code: 'EBADF' })
})

test('pages that are not in use are listed', () => {
  using folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  {
    using db = new Database(path)
    db.execute('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
    db.transaction(() => {
      for (let n = 0; n < 3000; n++) db.run('INSERT INTO t VALUES (?, ?)', n, 'x'.repeat(3000))
    })
    db.run('DELETE FROM t WHERE n >= 10')
    db.complete()
    using pages = new DatabasePages(path)
    const free = pages.listFree()
    assert.equal(free.size, db.number('PRAGMA freelist_count'))
    assert.equal(pages.count, db.number('PRAGMA page_count'))
    assert.ok(free.size > 1100, 'more than one page of the list')
    assert.ok([...free].every((number) => number > 1 && number <= pages.count))
    assert.equal(pages.read(0), undefined)
    assert.equal(pages.read(pages.count + 1), undefined)
    assert.equal(pages.read(pages.count)?.length, 4096)
  }
})

test('a record that is not exactly one is refused', () => {
  const good = Buffer.of(3, 1, 15, 42, 0x61)
  assert.deepEqual(decodeRecord(good), [42, 'a'])
  for (const [what, bytes] of [
    ['a header beyond the end', Buffer.of(9, 1, 15, 42)],
    ['a value beyond the end', good.subarray(0, 4)],
    ['bytes that are left over', Buffer.concat([good, Buffer.of(0)])],
    ['a header that ends within a type', Buffer.of(2, 0x81, 0)],
    ['a real number', Buffer.of(2, 7, 0, 0, 0, 0, 0, 0, 0, 0)],
    ['a reserved type', Buffer.of(2, 10)],
    ['a text that is not UTF-8', Buffer.of(2, 15, 0xff)],
    ['a number that JavaScript has not', Buffer.of(2, 6, 0x7f, 0, 0, 0, 0, 0, 0, 0)],
    ['nothing', Buffer.alloc(0)],
  ] as const) {
    assert.throws(() => decodeRecord(bytes), /RangeError|TypeError/, what)
  }
})

test('numbers are read up to their last byte, and refused if they have no end or are too large', () => {
  assert.deepEqual(readVarint(Buffer.of(0, 0x81, 0x00), 1), { value: 128, end: 3 })
  assert.deepEqual(readVarint(Buffer.of(0x7f), 0), { value: 127, end: 1 })
  const largest = Buffer.of(0x8f, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
  assert.deepEqual(readVarint(largest, 0), { value: 2 ** 46 - 1, end: 7 })
  assert.throws(() => readVarint(Buffer.alloc(9, 0xff), 0), RangeError)
  assert.throws(() => readVarint(Buffer.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1), 0), RangeError)
  assert.throws(() => readVarint(Buffer.of(0x81), 0), RangeError)
})
