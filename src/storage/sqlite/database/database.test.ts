import assert from 'node:assert/strict'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database, type OpenOptions } from './database.ts'
import { readDiskUse } from './disk-use.ts'
import { runMigrations } from './run-migrations.ts'

/** A file with an empty table, and a way to open it once more. */
function openFile() {
  const folder = openTemporaryFolder()
  const path = join(folder.path, 'x.db')
  const db = new Database(path)
  db.execute('CREATE TABLE entry (number INTEGER PRIMARY KEY, text TEXT)')
  const opened: Database[] = [db]
  const open = (options: OpenOptions = {}) => {
    const other = new Database(path, options)
    opened.push(other)
    return other
  }
  const close = () => {
    for (const one of opened) one.close()
    folder[Symbol.dispose]()
  }
  return { folder, path, db, open, [Symbol.dispose]: close }
}

const count = (db: Database) => db.number('SELECT count(*) FROM entry')
const add = (db: Database) => db.run('INSERT INTO entry DEFAULT VALUES')

describe('a transaction', () => {
  test('is stored as a whole or not at all, and the error is the one of the work', () => {
    using file = openFile()
    const { db, open } = file
    const other = open()
    assert.equal(
      db.transaction(() => {
        add(db)
        assert.equal(db.isInTransaction, true)
        assert.equal(count(other), 0)
        return 'done'
      }),
      'done',
    )
    assert.deepEqual([count(other), db.isInTransaction], [1, false])
    const failing = () =>
      db.transaction(() => {
        add(db)
        throw new Error('of the work')
      })
    assert.throws(failing, { message: 'of the work' })
    assert.deepEqual([count(db), db.isInTransaction], [1, false])
    // Even if SQLite has already undone it.
    const undone = () =>
      db.transaction(() => {
        db.execute('ROLLBACK')
        throw new Error('of the work')
      })
    assert.throws(undone, { message: 'of the work' })
  })

  test('has the right to write from its beginning', () => {
    using file = openFile()
    const other = file.open({ busyTimeoutMs: 0 })
    const startedMs = performance.now()
    file.db.transaction(() => {
      assert.throws(() => other.transaction(() => assert.fail('begun')), { errcode: 5 })
    })
    assert.ok(performance.now() - startedMs < 5000, 'who does not want to wait is refused at once')
  })
})

describe('a snapshot', () => {
  test('shows one state, and ends with its work', () => {
    using file = openFile()
    const reader = file.open({ readOnly: true })
    assert.deepEqual(
      reader.snapshot(() => {
        const before = count(reader)
        add(file.db)
        return [before, count(reader)]
      }),
      [0, 0],
    )
    assert.deepEqual([count(reader), reader.isInTransaction], [1, false])
    assert.throws(() => reader.snapshot(() => assert.fail('of the work')), { message: 'of the work' })
    assert.equal(reader.isInTransaction, false)
  })

  test('may be held for longer, whoever begins; releasing without holding changes nothing', () => {
    using file = openFile()
    const reader = file.open({ readOnly: true })
    reader.release()
    reader.hold()
    reader.hold()
    assert.equal(count(reader), 0)
    add(file.db)
    assert.equal(
      reader.snapshot(() => count(reader)),
      0,
    )
    assert.equal(count(reader), 0)
    reader.release()
    assert.equal(count(reader), 1)
    reader.snapshot(() => {
      reader.hold()
      assert.equal(count(reader), 1)
    })
    assert.equal(count(reader), 1)
    reader.close()
    reader.release()
  })
})

test('rows come as objects, as arrays, one at a time, or as a single number', () => {
  using file = openFile()
  const { db } = file
  assert.deepEqual(add(db), { changes: 1, lastInsertRowid: 1 })
  assert.deepEqual(db.run('INSERT INTO entry (text) VALUES (?), (?)', 'a', 'b'), { changes: 2, lastInsertRowid: 3 })
  const sql = 'SELECT number, text FROM entry WHERE number > ?'
  assert.deepEqual({ ...db.get(sql, 1) }, { number: 2, text: 'a' })
  assert.equal(db.get(sql, 9), undefined)
  assert.equal(db.all(sql, 0).length, 3)
  assert.deepEqual(db.allArrays('SELECT text FROM entry WHERE number >= ?', 2), [['a'], ['b']])
  assert.deepEqual([...db.iterate('SELECT number FROM entry')], [[1], [2], [3]])
  assert.deepEqual([db.number('SELECT 7'), db.number('SELECT number FROM entry WHERE number > 9')], [7, 0])
})

test('a function gets texts; without a text there is no result', () => {
  using file = openFile()
  file.db.defineTextFunction('twice', (text) => text + text)
  assert.deepEqual(file.db.allArrays("SELECT twice('ab'), twice(NULL), twice(5)"), [['abab', null, null]])
})

test('errors name the file, also when it is opened', () => {
  using file = openFile()
  assert.throws(() => file.db.number('SELECT absent'), { message: `no such column: absent (${file.path})` })
  assert.throws(() => file.db.execute('nothing'), new RegExp(file.path))
  assert.throws(() => [...file.db.iterate('SELECT absent')], new RegExp(file.path))
  const missing = join(file.folder.path, 'missing/x.db')
  assert.throws(() => new Database(missing), new RegExp(missing))
})

test('a file is opened for writing with commits that are durable, and for reading without any change', () => {
  using file = openFile()
  const { db } = file
  assert.deepEqual({ ...db.get('PRAGMA journal_mode') }, { journal_mode: 'wal' })
  assert.equal(db.number('PRAGMA synchronous'), 2)
  assert.equal(db.number('PRAGMA cache_size'), -2048)
  assert.equal(file.open({ cacheKib: 300 }).number('PRAGMA cache_size'), -300)
  const reader = file.open({ readOnly: true })
  assert.throws(() => add(reader), { errcode: 8 })
  using lock = new Database(join(file.folder.path, 'lock'), { journal: 'delete' })
  assert.deepEqual({ ...lock.get('PRAGMA journal_mode') }, { journal_mode: 'delete' })
})

test('frozen, a file is read without its WAL and without any file beside it', () => {
  using file = openFile()
  const { db, path } = file
  db.complete()
  add(db)
  const frozen = file.open({ readOnly: true, isFrozen: true })
  assert.deepEqual([count(frozen), count(db)], [0, 1])
  db.complete()
  assert.equal(statSync(`${path}-wal`).size, 0)
  assert.equal(count(file.open({ readOnly: true, isFrozen: true })), 1)
})

test('a copy is as the file was when it began, and tells how much is copied', async () => {
  using file = openFile()
  const { db, folder } = file
  db.execute(
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO entry SELECT i, hex(zeroblob(1000)) FROM n',
  )
  const copied = join(folder.path, 'copy.db')
  const told: number[] = []
  const copying = db.copyTo(copied, (bytes) => told.push(bytes))
  add(file.open())
  await copying
  using copy = new Database(copied)
  assert.deepEqual([count(copy), count(db), db.isInTransaction], [5000, 5001, false])
  assert.ok(told.length > 2, String(told))
  assert.deepEqual(
    told,
    told.toSorted((a, b) => a - b),
  )
  assert.equal(told.at(-1), statSync(copied).size)
  await assert.rejects(
    db.copyTo(join(folder.path, 'other.db'), () => assert.fail('stopped')),
    /stopped/,
  )
  assert.equal(db.isInTransaction, false)
})

test('closing twice is no error', () => {
  using file = openFile()
  file.db.close()
  file.db.close()
  assert.equal(file.db.isInTransaction, false)
  const other = file.open()
  other[Symbol.dispose]()
  assert.throws(() => count(other), /not open/)
})

describe('migrations', () => {
  const one = { number: 1, name: '1.sql', sql: 'CREATE TABLE one (a INTEGER)', checksum: 'c1' }
  const two = { number: 2, name: '2.sql', sql: 'ALTER TABLE one ADD COLUMN b INTEGER', checksum: 'c2' }

  test('are applied once and in order, each with its number in the file', () => {
    using file = openFile()
    runMigrations(file.db, [one])
    assert.equal(file.db.number('PRAGMA user_version'), 1)
    runMigrations(file.db, [one, two])
    runMigrations(file.db, [one, two])
    assert.equal(file.db.number('PRAGMA user_version'), 2)
    assert.deepEqual(file.db.allArrays('SELECT number, name FROM migration'), [
      [1, '1.sql'],
      [2, '2.sql'],
    ])
    assert.throws(() => runMigrations(file.db, [one]), { code: 'conflict' })
  })

  test('that fail leave nothing behind; those that were changed are refused', () => {
    using file = openFile()
    runMigrations(file.db, [one])
    const broken = { ...two, sql: 'CREATE TABLE half (a INTEGER); nonsense' }
    assert.throws(() => runMigrations(file.db, [one, broken]), /syntax error/)
    assert.equal(file.db.number("SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0)
    assert.equal(file.db.number('PRAGMA user_version'), 1)
    const changed = /1\.sql was changed after it was applied/
    assert.throws(() => runMigrations(file.db, [{ ...one, checksum: 'other' }]), changed)
    assert.throws(() => runMigrations(file.db, [{ ...one, checksum: 'other' }, two]), changed)
  })
})

test('the size of the write-ahead logs is that of both folders, at most a hundred of each', async () => {
  using folder = openTemporaryFolder()
  const events = join(folder.path, 'events')
  mkdirSync(events)
  writeFileSync(join(folder.path, 'control.db-wal'), 'x'.repeat(7))
  writeFileSync(join(folder.path, 'control.db'), 'x'.repeat(1000))
  for (let index = 0; index < 101; index++) {
    writeFileSync(join(events, `${String(index).padStart(3, '0')}.db-wal`), 'x'.repeat(index === 0 ? 5000 : 10))
  }
  const { walBytes, freeBytes, sizeBytes } = await readDiskUse(folder.path)
  assert.equal(walBytes, 7 + 1000)
  assert.ok(freeBytes > 2 ** 20 && sizeBytes >= freeBytes, `${freeBytes} of ${sizeBytes}`)
})
