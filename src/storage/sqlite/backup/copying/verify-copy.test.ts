import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../../test/harness/temporary-folder.ts'
import { Database } from '../../database/database.ts'
import { DayFiles } from '../../days/day-files.ts'
import { DayWriters } from '../../writing/day-writers.ts'
import { toEventRow } from '../../writing/event-row.ts'
import { verifyDatabase, verifyDay } from './verify-copy.ts'

/** A database with an index, of which some entries are missing. */
function damagedDatabase(folder: string, missing: number): string {
  const path = join(folder, 'x.db')
  {
    using db = new Database(path, { journal: 'delete' })
    db.execute('CREATE TABLE "a ""quoted"" name" (n INTEGER PRIMARY KEY, text TEXT)')
    db.execute('CREATE INDEX by_text ON "a ""quoted"" name" (text)')
    for (let n = 0; n < 50; n++) db.run('INSERT INTO "a ""quoted"" name" VALUES (?, ?)', n, `text ${n}`)
  }
  const bytes = readFileSync(path)
  // The third page is the index: with fewer cells in its header, the last ones are lost.
  const cells = 2 * 4096 + 3
  assert.equal(bytes.readUInt16BE(cells), 50)
  bytes.writeUInt16BE(50 - missing, cells)
  writeFileSync(path, bytes)
  return path
}

test('a sound database has no findings', () => {
  using folder = openTemporaryFolder()
  assert.deepEqual(verifyDatabase(damagedDatabase(folder.path, 0)), [])
})

test('of a damaged one the first few findings are returned', () => {
  using folder = openTemporaryFolder()
  const findings = verifyDatabase(damagedDatabase(folder.path, 30))
  assert.equal(findings.length, 5, findings.join('\n'))
  assert.ok(findings.every((finding) => finding !== 'ok'))
})

describe('the copy of a day', () => {
  const EXPECTED = { installation: 'own', day: '2026-03-01' }
  const event = (id: string) => {
    return { id, timestamp: 1_772_366_400, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  }

  /** A day with two events, changed by SQL. */
  function verify(change = '') {
    using folder = openTemporaryFolder()
    const files = new DayFiles(folder.path)
    const writers = new DayWriters(files, () => false)
    writers.store([['a', 'b'].map((id) => toEventRow({ domainNumber: 1, event: event(id) }))], 0)
    writers.close()
    {
      using db = new Database(files.path(EXPECTED.day))
      db.execute(change)
      db.complete()
    }
    return verifyDay(files.path(EXPECTED.day), EXPECTED)
  }

  test('is sound with its events, and with counts of events that were erased', () => {
    assert.deepEqual(verify(), { events: 2, arrival: 2, isSound: true })
    const own = "INSERT INTO identity VALUES ('own', '2026-03-01')"
    assert.deepEqual(verify(own), { events: 2, arrival: 2, isSound: true })
  })

  test('of another day or installation is not', () => {
    for (const identity of ["'other', '2026-03-01'", "'own', '2026-03-02'"]) {
      const { isSound, problem } = verify(`INSERT INTO identity VALUES (${identity})`)
      assert.equal(isSound, false)
      assert.match(problem ?? '', /^it is the file of 2026-03-0[12], installation (other|own)$/)
    }
  })

  test('whose counters do not match its events is kept, and named', () => {
    const { isSound, problem } = verify('UPDATE counter SET count = count + 1')
    assert.equal(isSound, true)
    assert.match(problem ?? '', /it has 2 events, and its counters say 3/)
  })

  test('that lacks a table, or is empty, is not sound', () => {
    const { isSound, problem } = verify('DROP TABLE counter')
    assert.equal(isSound, false)
    assert.match(problem ?? '', /no such table/)
    using folder = openTemporaryFolder()
    const path = join(folder.path, 'empty.db')
    writeFileSync(path, '')
    assert.equal(verifyDay(path, EXPECTED).isSound, false)
    assert.throws(() => verifyDay(join(folder.path, 'missing.db'), EXPECTED))
  })
})
