/** Data folders that earlier releases have written, upgraded to this one: every answer stays the same. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { CONTROL_MIGRATIONS } from '../../src/storage/sqlite/control/control-database.ts'
import { CONTROL_FILE } from '../../src/storage/sqlite/control/control-file.ts'
import { Database } from '../../src/storage/sqlite/database/database.ts'
import { runMigrations } from '../../src/storage/sqlite/database/run-migrations.ts'
import { DAY_MIGRATIONS } from '../../src/storage/sqlite/days/day-files.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { planUpgrade } from '../../src/storage/sqlite/upgrade/plan-upgrade.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'
import { askEverything } from './ask-everything.ts'
import { DAY, DAYS, DOMAINS, eventsOf, FIRST } from './traffic.ts'

const ANSWERS = 'answers.json.gz'
const releases = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => join(import.meta.dirname, name))

function unpack(release: string, dataDir: string): void {
  for (const file of readdirSync(release, { recursive: true }).map(String)) {
    if (!file.endsWith('.gz') || file === ANSWERS) continue
    const target = join(dataDir, file.slice(0, -3))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, gunzipSync(readFileSync(join(release, file))))
  }
}

const open = (dataDir: string) =>
  openSqliteStorage({
    dataDir,
    clock: () => (FIRST + DAYS * DAY) * 1000,
    serviceMessageIdField: 'service_message_id',
    readers: 1,
  })

for (const release of releases) {
  const expected: unknown = JSON.parse(gunzipSync(readFileSync(join(release, ANSWERS))).toString())

  test(`${release.slice(import.meta.dirname.length + 1)}: events, counts, series and searches are the same after the upgrade`, async () => {
    using folder = openTemporaryFolder()
    unpack(release, folder.path)
    // The second start finds everything upgraded.
    for (const start of ['first', 'second']) {
      const storage = await open(folder.path)
      assert.deepEqual(storage.capabilities.troubles?.list(), [])
      assert.deepEqual(await askEverything(storage), expected, `${start} start`)
      assert.deepEqual(await storage.capabilities.recount?.run(), [])
      await storage.close()
    }
  })

  test(`${release.slice(import.meta.dirname.length + 1)}: an upgraded folder recognizes old events, takes new ones and continues the numbers of domains`, async () => {
    using folder = openTemporaryFolder()
    unpack(release, folder.path)
    const storage = await open(folder.path)
    const old = eventsOf(DAYS - 1, 1)
    assert.deepEqual(await storage.log.append(old), { stored: 0, duplicates: old.length, expired: [] })
    const fresh = eventsOf(DAYS)
    assert.equal((await storage.log.append(fresh)).stored, fresh.length)
    // Into the file of an old day: old rows have no origin, new ones may.
    const extension = { sending_address: '192.0.2.1', next_attempt: FIRST + 99 * DAY }
    const sent = old.map(({ domainNumber, event }) => ({ domainNumber, event: { ...event, id: 'sent' }, extension }))
    assert.equal((await storage.log.append(sent)).stored, sent.length)
    const query = { messageId: 'sent', limit: 1000, budgetMs: 60_000, shown: 'sending' } as const
    const { events } = await storage.log.listMessage({ domains: DOMAINS, ...query })
    assert.equal(events.filter((text) => text.includes('"sending_address":"192.0.2.1"')).length, sent.length)
    assert.deepEqual(await storage.capabilities.recount?.run(), [])
    assert.equal((await storage.log.append(eventsOf(0))).expired.length, fresh.length, 'a removed day stays removed')
    const { number } = await storage.control.domains.create({
      id: 'new',
      tenantId: 'tenant-1',
      name: 'new.test',
      description: '',
      sendingEmail: '',
      isActive: true,
      isApproved: false,
      isVerified: false,
      dnsRecords: [],
      dkimKeys: [],
      lastVerificationErrors: [],
      createdAtMs: 1,
      updatedAtMs: 1,
    })
    assert.equal(number, 4)
    await storage.close()
    const files = readdirSync(join(folder.path, 'events')).filter((name) => name.endsWith('.db'))
    assert.equal(files.length, 5)
    for (const file of files) {
      using db = new Database(join(folder.path, 'events', file), { readOnly: true })
      assert.deepEqual(
        db.allArrays('SELECT number, name FROM domain_claim'),
        [
          [1, 'acme.test'],
          [2, 'post.acme.test'],
          [3, 'other.test'],
        ],
        file,
      )
    }
  })
}

for (const release of releases) {
  const name = release.slice(import.meta.dirname.length + 1)
  const expected: unknown = JSON.parse(gunzipSync(readFileSync(join(release, ANSWERS))).toString())

  test(`${name}: what has to be migrated is known beforehand, without changing anything`, async (t) => {
    using folder = openTemporaryFolder()
    unpack(release, folder.path)
    const before = readFileSync(join(folder.path, 'control.db'))
    const plan = await planUpgrade(folder.path)
    if (plan.outdated.length === 0) return t.skip('it has the current schema')
    assert.deepEqual(
      plan.outdated.map(({ file }) => file),
      ['control.db', ...dayFiles(folder.path)],
    )
    assert.ok(plan.outdated.every(({ migrations, isNewer }) => migrations.length > 0 && !isNewer))
    assert.ok(plan.seconds > 0 && plan.bytesNeeded > 0 && plan.bytesFree > plan.bytesNeeded)
    assert.deepEqual(readFileSync(join(folder.path, 'control.db')), before)
    const { exitCode, stdout } = await runCli(['upgrade', 'check'], inFolder(folder.path))
    assert.equal(exitCode, 0)
    assert.match(stdout, /migrates 5 files when it starts.*0004_origins.*Time: less than a minute.*Space: /s)
    await (await open(folder.path)).close()
    assert.deepEqual((await planUpgrade(folder.path)).outdated, [])
  })

  test(`${name}: an upgrade that is killed between any two statements, again and again, is finished by the next start`, async (t) => {
    const upgrade = (dataDir: string, ...killAt: readonly string[]) =>
      spawnSync(process.execPath, [join(import.meta.dirname, 'open-folder.ts'), dataDir, ...killAt], {
        encoding: 'utf8',
      })
    using complete = openTemporaryFolder()
    unpack(release, complete.path)
    if ((await planUpgrade(complete.path)).outdated.length === 0) return t.skip('it has the current schema')
    const statements = Number(upgrade(complete.path).stdout)
    assert.ok(statements > 0)
    const seed = Date.now()
    const random = createSeededRandom(seed)
    for (let round = 0; round < 3; round++) {
      using folder = openTemporaryFolder()
      unpack(release, folder.path)
      const moments = Array.from({ length: 3 }, () => random.between(1, statements))
      for (const moment of moments) {
        const { signal, status, stderr } = upgrade(folder.path, String(moment))
        // The statements that were done before are not repeated, so later kills may come too late.
        assert.ok(signal === 'SIGKILL' || (moment !== moments[0] && status === 0), stderr)
      }
      const moment = `seed ${seed}: killed before the statements ${moments.join(', ')} of ${statements}`
      const storage = await open(folder.path)
      assert.deepEqual(storage.capabilities.troubles?.list(), [], moment)
      assert.deepEqual(await askEverything(storage), expected, moment)
      assert.deepEqual(await storage.capabilities.recount?.run(), [], moment)
      await storage.close()
      assert.deepEqual((await planUpgrade(folder.path)).outdated, [], moment)
    }
  })

  test(`${name}: an upgrade that ended after any migration is continued by the next start`, async (t) => {
    using first = openTemporaryFolder()
    unpack(release, first.path)
    const steps = (await planUpgrade(first.path)).outdated.flatMap(({ file, schema, migrations }) =>
      migrations.map((migration, index) => ({ file, migration, applied: schema + index + 1 })),
    )
    if (steps.length === 0) return t.skip('it has the current schema')
    // Every third moment: the others differ by one migration.
    for (const [end, { file: last, migration }] of steps.entries().filter(([index]) => index % 3 === 2)) {
      using folder = openTemporaryFolder()
      unpack(release, folder.path)
      for (const { file, applied } of steps.slice(0, end + 1)) {
        using db = new Database(join(folder.path, file))
        runMigrations(db, (file === CONTROL_FILE ? CONTROL_MIGRATIONS : DAY_MIGRATIONS).slice(0, applied))
      }
      const moment = `after ${migration} of ${last}`
      const storage = await open(folder.path)
      assert.deepEqual(storage.capabilities.troubles?.list(), [], moment)
      assert.deepEqual(await askEverything(storage), expected, moment)
      await storage.close()
    }
  })

  test(`${name}: data of a newer version is refused in a sentence, by the check and by the server`, async () => {
    using folder = openTemporaryFolder()
    unpack(release, folder.path)
    {
      using db = new Database(join(folder.path, 'control.db'))
      db.execute('PRAGMA user_version = 99')
    }
    for (const command of [['upgrade', 'check'], ['serve'], ['tenant', 'list']]) {
      const { exitCode, stdout, stderr } = await runCli(command, inFolder(folder.path))
      assert.equal(exitCode, 1)
      assert.match(
        stdout + stderr,
        /control\.db was written by a newer version of Envelog \(schema 99.*Start that version or a later one, or restore a backup/,
      )
      assert.doesNotMatch(stdout + stderr, / at .*\.ts:/)
    }
  })
}

function dayFiles(dataDir: string): readonly string[] {
  const names = readdirSync(join(dataDir, 'events')).filter((file) => file.endsWith('.db'))
  return names.sort().map((file) => `events/${file}`)
}

function inFolder(dataDir: string) {
  return { cwd: dataDir, env: { ENVELOG_DATA_DIR: dataDir, ENVELOG_PORT: '0' } }
}
