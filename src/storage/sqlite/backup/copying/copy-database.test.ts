import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { Database } from '../../database/database.ts'
import { copyDatabase, UnreadableError } from './copy-database.ts'

const MIB = 2 ** 20
/** Of a step of the copy. */
const STEP = 1000 * 4096

test('a copy is flushed each time that enough was written, and its bytes are reported as they are copied', async () => {
  using folder = openTemporaryFolder()
  const [from, to] = [join(folder.path, 'from.db'), join(folder.path, 'to.db')]
  {
    using db = new Database(from)
    db.execute(`CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(${17 * MIB}))`)
  }
  const steps: number[] = []
  let flushes = 0
  const copy = (path: string, flushBytes: number) =>
    copyDatabase(
      from,
      path,
      (bytes) => steps.push(bytes),
      () => flushes++,
      flushBytes,
    )
  await copy(to, 2 * STEP)
  {
    using copied = new Database(to, { readOnly: true })
    assert.equal(copied.number('SELECT length(x) FROM t'), 17 * MIB)
  }
  const { size } = statSync(from)
  // Whole steps, then the rest.
  assert.deepEqual(steps.slice(0, 4), Array(4).fill(STEP))
  assert.equal(
    steps.reduce((sum, bytes) => sum + bytes, 0),
    size,
  )
  assert.equal(flushes, 2)
  flushes = 0
  await copy(`${to}.other`, size + 1)
  assert.equal(flushes, 0)
  await assert.rejects(copy(to, 1), { code: 'EEXIST' })
  assert.equal(statSync(to).mode & 0o777, 0o600)
})

test('a source that cannot be read is told from a target that cannot be written', async () => {
  using folder = openTemporaryFolder()
  const from = join(folder.path, 'from.db')
  writeFileSync(from, 'not a database'.repeat(1000))
  const copy = (path: string) => copyDatabase(path, join(folder.path, 'to.db'), () => undefined)
  await assert.rejects(copy(from), UnreadableError)
  await assert.rejects(copy(join(folder.path, 'missing.db')), UnreadableError)
})
