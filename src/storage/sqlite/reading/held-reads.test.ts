import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from '../database/database.ts'
import { HeldReads } from './held-reads.ts'

const LONG_MS = 600_000

function openFile() {
  const folder = openTemporaryFolder()
  const path = join(folder.path, 'held.db')
  const writer = new Database(path)
  writer.execute('CREATE TABLE entry (number INTEGER PRIMARY KEY)')
  const reader = new Database(path, { readOnly: true })
  const close = () => {
    reader.close()
    writer.close()
    folder[Symbol.dispose]()
  }
  const add = () => void writer.run('INSERT INTO entry DEFAULT VALUES')
  const count = () => reader.get<{ count: number }>('SELECT count(*) AS count FROM entry')?.count
  return { writer, reader, add, count, [Symbol.dispose]: close }
}

test('a held file is read as of its first read, until it is released', () => {
  using file = openFile()
  const held = new HeldReads(LONG_MS)
  held.hold(file.reader)
  assert.equal(file.count(), 0)
  file.add()
  assert.equal(file.count(), 0)
  held.release(file.reader)
  assert.equal(file.count(), 1)
  held.hold(file.reader)
  held.hold(file.reader)
  file.add()
  held.releaseAll()
  assert.equal(file.count(), 2)
})

test('a snapshot of several reads also works while the file is held', () => {
  using file = openFile()
  const held = new HeldReads(LONG_MS)
  held.hold(file.reader)
  const counts = file.reader.snapshot(() => {
    const before = file.count()
    file.add()
    return [before, file.count()]
  })
  assert.deepEqual(counts, [0, 0])
  held.releaseAll()
  assert.equal(file.count(), 1)
})

test('files are released soon: the WAL can be checkpointed although no read follows', async () => {
  using file = openFile()
  new HeldReads(1).hold(file.reader)
  file.count()
  file.add()
  const isEmptied = () => file.writer.get<{ busy: number }>('PRAGMA wal_checkpoint(RESTART)')?.busy === 0
  for (let tries = 0; tries < 500 && file.count() === 0; tries++) await sleep(1)
  assert.equal(file.count(), 1)
  assert.ok(isEmptied())
})
