/**
 * How long the upgrade of a data folder of the first release takes, and what `upgrade check` says beforehand:
 *
 *   npx node test/upgrades/measure-upgrade.ts [EVENTS] [FOLDER]
 *
 * The events (a million by default) are written by this version, in files from which what later migrations have added is taken away.
 * The control database is the one of the release.
 */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Database } from '../../src/storage/sqlite/database/database.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { planUpgrade } from '../../src/storage/sqlite/upgrade/plan-upgrade.ts'
import { createDomains, DAY, DAYS, eventsOf, FIRST } from './traffic.ts'

const RELEASE = join(import.meta.dirname, '0.1.0')
const BATCH = 10_000
/** Of days/migrations, except the first. */
const ADDED_LATER = `
  DROP TABLE arrival_batch; DROP TABLE identity; DROP TABLE domain_claim; DROP TABLE origin; DROP TABLE sending_per_hour;
  ALTER TABLE event DROP COLUMN origin; ALTER TABLE event DROP COLUMN retry_after;
  DELETE FROM migration WHERE number > 1; PRAGMA user_version = 1`

const [count = '1000000', parent = tmpdir()] = process.argv.slice(2)
const wanted = Number(count.replaceAll('_', ''))
const folder = mkdtempSync(join(parent, 'envelog-upgrade-'))
try {
  const written = join(folder, 'written')
  await writeEvents(written)
  const plan = await planUpgrade(written)
  const [seconds, events] = await measureOpening(written)
  assert.ok(events >= wanted)
  const [again] = await measureOpening(written)
  const perTenMillion = ((seconds - again) / events) * 1e7
  process.stdout.write(
    `${events} events in ${DAYS - 1} days, ${(plan.bytes / 2 ** 20).toFixed(0)} MiB
upgrade check: ${plan.outdated.length} files, ${plan.seconds < 60 ? 'less than a minute' : `${Math.ceil(plan.seconds / 60)} minutes`} (${plan.seconds.toFixed(1)} s)
start that upgrades: ${seconds.toFixed(2)} s; next start: ${again.toFixed(2)} s
upgrade: ${perTenMillion.toFixed(2)} s for ten million events
`,
  )
} finally {
  rmSync(folder, { recursive: true })
}

function open(dataDir: string) {
  return openSqliteStorage({
    dataDir,
    clock: () => (FIRST + DAYS * DAY) * 1000,
    serviceMessageIdField: 'service_message_id',
    readers: 1,
  })
}

async function writeEvents(dataDir: string): Promise<void> {
  const storage = await open(dataDir)
  await createDomains(storage)
  // The first day is removed by retention.
  const perDay = Math.ceil(wanted / (DAYS - 1))
  for (let day = 1; day < DAYS; day++) {
    const model = eventsOf(day)
    for (let start = 0; start < perDay; start += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, perDay - start) }, (_, index) => {
        const { domainNumber, event } = model[index % model.length] ?? assert.fail()
        const message = start + Math.floor(index / 3)
        return { domainNumber, event: { ...event, id: `${day}-${message}`, recipient: `anna${message}@example.org` } }
      })
      await storage.log.append(batch)
    }
  }
  await storage.close()
  for (const name of readdirSync(join(dataDir, 'events')).filter((file) => file.endsWith('.db'))) {
    using db = new Database(join(dataDir, 'events', name))
    db.execute(ADDED_LATER)
  }
  for (const name of readdirSync(dataDir).filter((file) => file !== 'events'))
    rmSync(join(dataDir, name), { recursive: true })
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(join(dataDir, 'control.db'), gunzipSync(readFileSync(join(RELEASE, 'control.db.gz'))))
}

/** Seconds, and the events that are found. */
async function measureOpening(dataDir: string): Promise<readonly [seconds: number, events: number]> {
  const start = performance.now()
  const storage = await open(dataDir)
  const seconds = (performance.now() - start) / 1000
  assert.deepEqual(storage.capabilities.troubles?.list(), [])
  const days = (await storage.capabilities.days?.list()) ?? []
  await storage.close()
  return [seconds, days.reduce((sum, { events }) => sum + events, 0)]
}
