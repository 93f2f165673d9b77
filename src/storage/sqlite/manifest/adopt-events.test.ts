import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import { adoptEvents } from './adopt-events.ts'
import { DomainClaims, writeIdentity } from './domain-claims.ts'
import { Installation } from './installation.ts'

const [FIRST, SECOND, THIRD] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const

/** A control.db that knows no domain. */
function openScene() {
  const folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  const withControl = <T>(work: (installation: Installation) => T): T => {
    using control = openControlDatabase(folder.path)
    return work(new Installation(control))
  }
  withControl(() => undefined)
  return {
    files,
    dataDir: folder.path,
    adopt: () => adoptEvents(folder.path),
    state: () => withControl(({ id, highestNumber }) => ({ id, highestNumber })),
    /** A day of another installation, with events of this domain. */
    addDay(day: Day, number: number, id = 'the other one', sql = '') {
      using db = files.openForWriting(day, 1024)
      withControl((installation) => {
        writeIdentity(db, day, installation)
        new DomainClaims(db, { findDomain: () => undefined, reserve: () => undefined }).note(number)
      })
      db.run('UPDATE identity SET installation = ?', id)
      if (sql !== '') db.execute(sql)
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('without a folder of events there is nothing to adopt', () => {
  using folder = openTemporaryFolder()
  assert.throws(() => adoptEvents(folder.path), { code: 'not_found' })
})

test('control.db becomes that of the events, and hands out none of their numbers', () => {
  using scene = openScene()
  scene.addDay(FIRST, 9)
  scene.addDay(SECOND, 4)
  assert.deepEqual(scene.adopt(), { days: 2, highestNumber: 9 })
  assert.deepEqual(scene.state(), { id: 'the other one', highestNumber: 9 })
  // The folder is not locked any more.
  assert.deepEqual(scene.adopt(), { days: 2, highestNumber: 9 })
})

test('days of several installations are refused, and nothing changes', () => {
  using scene = openScene()
  scene.addDay(FIRST, 9)
  scene.addDay(SECOND, 4, 'yet another')
  const before = scene.state()
  assert.throws(() => scene.adopt(), { code: 'conflict', message: /days of 2 installations/ })
  assert.deepEqual(scene.state(), before)
})

test('files that are no days are left out and left alone', () => {
  using scene = openScene()
  scene.addDay(FIRST, 9)
  writeFileSync(scene.files.path(SECOND), 'not a database, but long enough for its header'.repeat(20))
  {
    using other = new Database(scene.files.path(THIRD), { journal: 'delete' })
    other.execute('CREATE TABLE something (column); PRAGMA user_version = 99')
  }
  const before = readFileSync(scene.files.path(THIRD))
  assert.deepEqual(scene.adopt(), { days: 1, highestNumber: 9 })
  assert.deepEqual(readFileSync(scene.files.path(THIRD)), before)
})

test('days of an earlier version say by their counts which numbers they have', () => {
  using scene = openScene()
  const counted = 'INSERT INTO counter VALUES (50, 0, 1, 1);'
  scene.addDay(FIRST, 9, 'the other one', `${counted} PRAGMA user_version = 3`)
  assert.deepEqual(scene.adopt(), { days: 1, highestNumber: 9 })
  scene.addDay(SECOND, 9, 'ignored', `${counted} PRAGMA user_version = 2`)
  const { id } = scene.state()
  assert.deepEqual(scene.adopt(), { days: 2, highestNumber: 50 })
  assert.equal(scene.state().id, id)
})
