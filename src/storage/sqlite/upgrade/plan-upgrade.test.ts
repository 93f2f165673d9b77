import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { Migration } from '../../read-migrations.ts'
import { CONTROL_MIGRATIONS } from '../control/control-database.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { Database } from '../database/database.ts'
import { runMigrations } from '../database/run-migrations.ts'
import { DAY_MIGRATIONS } from '../days/day-files.ts'
import { planUpgrade } from './plan-upgrade.ts'

const LAST_DAY = DAY_MIGRATIONS.length

/** With the first `steps` migrations. */
function write(path: string, migrations: readonly Migration[], steps: number): Database {
  const db = new Database(path)
  runMigrations(db, migrations.slice(0, steps))
  return db
}

function openFolder() {
  const folder = openTemporaryFolder()
  mkdirSync(join(folder.path, 'events'))
  write(join(folder.path, CONTROL_FILE), CONTROL_MIGRATIONS, CONTROL_MIGRATIONS.length)[Symbol.dispose]()
  const dayPath = (day: string) => join(folder.path, 'events', `${day}.db`)
  return {
    path: folder.path,
    dayPath,
    writeDay: (day: string, steps: number) => write(dayPath(day), DAY_MIGRATIONS, steps),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

test('of a folder of this version, nothing is to be done', async () => {
  using folder = openFolder()
  folder.writeDay('2026-03-01', LAST_DAY)[Symbol.dispose]()
  for (const name of ['2026-03-01.db-journal', 'notes.db', '2026-03-02.db.damaged-1'])
    writeFileSync(join(folder.path, 'events', name), 'no day')
  const { bytesFree, ...plan } = await planUpgrade(folder.path)
  const bytes = [join(folder.path, CONTROL_FILE), folder.dayPath('2026-03-01')].map((path) => statSync(path).size)
  assert.deepEqual(plan, {
    files: 2,
    bytes: bytes.reduce((sum, size) => sum + size),
    outdated: [],
    seconds: 0,
    bytesNeeded: 0,
  })
  assert.ok(bytesFree > 0)
})

test('older days are listed with their migrations; those that go through rows need the size of the file, the largest twice', async () => {
  using folder = openFolder()
  const days = ['2026-03-01', '2026-03-02'] as const
  for (const day of days) folder.writeDay(day, LAST_DAY - 1)[Symbol.dispose]()
  const { outdated, seconds, bytesNeeded } = await planUpgrade(folder.path)
  const [last] = DAY_MIGRATIONS.slice(-1)
  const sizes = days.map((day) => statSync(folder.dayPath(day)).size)
  assert.deepEqual(
    outdated,
    days.map((day, index) => ({
      file: `events/${day}.db`,
      bytes: sizes[index],
      schema: LAST_DAY - 1,
      migrations: [last?.name.replace('.sql', '')],
      isNewer: false,
    })),
  )
  const goesThroughRows = /^\s*(UPDATE|INSERT|DELETE|CREATE INDEX)/im.test(last?.sql ?? '')
  const rewritten = goesThroughRows ? sizes : [0, 0]
  const all = rewritten.reduce((sum, size) => sum + size)
  assert.equal(bytesNeeded, 2 * 128 * 1024 + all + Math.max(...rewritten))
  assert.equal(seconds.toFixed(6), (2 * 0.05 + all / (10 * 2 ** 20)).toFixed(6))
})

test('a schema whose last commit is still in the WAL counts, a newer one is named, and nothing is changed', async () => {
  using folder = openFolder()
  folder.writeDay('2026-03-01', 1)[Symbol.dispose]()
  using open = new Database(folder.dayPath('2026-03-01'))
  open.execute(`PRAGMA user_version = ${LAST_DAY + 3}`)
  const before = readFileSync(folder.dayPath('2026-03-01'))
  const { outdated } = await planUpgrade(folder.path)
  assert.deepEqual(
    outdated.map(({ schema, migrations, isNewer }) => ({ schema, migrations, isNewer })),
    [{ schema: LAST_DAY + 3, migrations: [], isNewer: true }],
  )
  assert.deepEqual(readFileSync(folder.dayPath('2026-03-01')), before)
})

test('a folder without control data is not one of ours', async () => {
  using folder = openTemporaryFolder()
  await assert.rejects(planUpgrade(folder.path), { code: 'not_found', message: /is not a data folder/ })
})
