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

function openFolder({ controlSteps = CONTROL_MIGRATIONS.length } = {}) {
  const folder = openTemporaryFolder()
  mkdirSync(join(folder.path, 'events'))
  write(join(folder.path, CONTROL_FILE), CONTROL_MIGRATIONS, controlSteps)[Symbol.dispose]()
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

test('older files are listed with their migrations; one that goes through rows needs the size of the file twice', async () => {
  const goesThroughRows = ({ sql }: Migration) => /^(CREATE (UNIQUE )?INDEX|INSERT|UPDATE|DELETE)\b/m.test(sql)
  // The last one of control.db that does, and all that follow it.
  const controlSteps = CONTROL_MIGRATIONS.findLastIndex(goesThroughRows)
  assert.ok(controlSteps > 0)
  const pending = { control: CONTROL_MIGRATIONS.slice(controlSteps), day: DAY_MIGRATIONS.slice(-1) }
  assert.ok(!pending.day.some(goesThroughRows))
  using folder = openFolder({ controlSteps })
  folder.writeDay('2026-03-01', LAST_DAY - 1)[Symbol.dispose]()
  const { outdated, seconds, bytesNeeded } = await planUpgrade(folder.path)
  const sizeOf = (file: string) => statSync(join(folder.path, file)).size
  const described = (file: string, schema: number, migrations: readonly Migration[]) => ({
    file,
    bytes: sizeOf(file),
    schema,
    migrations: migrations.map(({ name }) => name.replace('.sql', '')),
    isNewer: false,
  })
  assert.deepEqual(outdated, [
    described(CONTROL_FILE, controlSteps, pending.control),
    described('events/2026-03-01.db', LAST_DAY - 1, pending.day),
  ])
  const migrations = pending.control.length + pending.day.length
  assert.equal(bytesNeeded, migrations * 128 * 1024 + 2 * sizeOf(CONTROL_FILE))
  const expected = migrations * 0.05 + sizeOf(CONTROL_FILE) / (10 * 2 ** 20)
  assert.ok(Math.abs(seconds - expected) < 1e-9, `${seconds} instead of ${expected}`)
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
