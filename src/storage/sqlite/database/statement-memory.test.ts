import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { Database } from './database.ts'

const MEGABYTE = 1024 * 1024
const TEXTS = 6000
const TEXT_BYTES = 32 * 1024

test('a connection keeps a bounded number of statements, however many different texts it runs', () => {
  using folder = openTemporaryFolder()
  using db = new Database(join(folder.path, 'x.db'))
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const before = process.resourceUsage().maxRSS * 1024
  for (let index = 0; index < TEXTS; index++) {
    assert.equal(db.number(`SELECT ${index} /* ${'x'.repeat(TEXT_BYTES)} */`), index)
    // Node frees a statement with its object.
    if (index % 250 === 0) collectGarbage()
  }
  const taken = process.resourceUsage().maxRSS * 1024 - before
  // Each text is kept twice, here and by SQLite: all of them would take 375 MB.
  assert.ok(taken < 128 * MEGABYTE, `${Math.round(taken / MEGABYTE)} MB`)
})

test('a statement that was dropped for others works as before', () => {
  using folder = openTemporaryFolder()
  using db = new Database(join(folder.path, 'x.db'))
  db.execute('CREATE TABLE one (value INTEGER) STRICT')
  for (let round = 1; round <= 3; round++) {
    assert.equal(db.run('INSERT INTO one VALUES (?)', round).changes, 1)
    for (let index = 0; index < 150; index++) db.number(`SELECT ${index}`)
    assert.deepEqual(db.allArrays('SELECT max(value) FROM one'), [[round]])
  }
})

test('a statement that is run again is not prepared again', () => {
  using folder = openTemporaryFolder()
  using db = new Database(join(folder.path, 'x.db'))
  const columns = Array.from({ length: 100 }, (_, index) => `? + ${index}`).join(', ')
  let distinct = 0
  const measure = (toText: (run: number) => string) => {
    const times = Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage()
      for (let run = 0; run < 300; run++) db.number(toText(run), ...Array.from({ length: 100 }, () => run))
      return process.threadCpuUsage(before).user
    })
    return Math.min(...times)
  }
  const again = measure((run) => `SELECT ${columns} /* ${run % 2} */`)
  const anew = measure(() => `SELECT ${columns} /* new ${distinct++} */`)
  assert.ok(2 * again < anew, `${again} µs, ${anew} µs for texts that are all different`)
})
