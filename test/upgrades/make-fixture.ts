/**
 * Makes a data folder with the code of a release, to be upgraded by all later ones:
 *
 *   npx node test/upgrades/make-fixture.ts CHECKOUT NAME
 *
 * CHECKOUT is a folder with the release and its node_modules. The process that writes kills itself, so that the last day is
 * partly in its WAL. The answers are those of the release.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type * as opening from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { askEverything } from './ask-everything.ts'
import { createDomains, DAY, DAYS, eventsOf, FIRST } from './traffic.ts'

const [checkout = '', name = '', writeTo] = process.argv.slice(2)
assert.ok(checkout && name, 'usage: make-fixture.ts CHECKOUT NAME')
const engine = (await import(resolve(checkout, 'src/storage/sqlite/open-sqlite-storage.ts'))) as typeof opening

const open = (dataDir: string) =>
  engine.openSqliteStorage({
    dataDir,
    clock: () => (FIRST + DAYS * DAY) * 1000,
    serviceMessageIdField: 'service_message_id',
    readers: 1,
  })

if (writeTo) {
  const first = await open(writeTo)
  await createDomains(first)
  for (let day = 0; day < DAYS; day++) await first.log.append(eventsOf(day))
  await first.log.removeBefore((FIRST + DAY) * 1000)
  await first.close()
  const { log } = await open(writeTo)
  await log.append(eventsOf(DAYS - 1, 1))
  process.kill(process.pid, 'SIGKILL')
}

const folder = join(import.meta.dirname, name)
const scratch = mkdtempSync(join(tmpdir(), 'envelog-fixture-'))
const dataDir = join(scratch, 'data')
const written = spawnSync(process.execPath, [import.meta.filename, checkout, name, dataDir], { stdio: 'inherit' })
assert.equal(written.signal, 'SIGKILL')
rmSync(folder, { recursive: true, force: true })
for (const file of readdirSync(dataDir, { recursive: true }).map(String)) {
  if (!/\.db(-wal)?$/.test(file) || statSync(join(dataDir, file)).size === 0) continue
  const target = join(folder, `${file}.gz`)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, gzipSync(readFileSync(join(dataDir, file)), { level: 9 }))
}
const copy = join(scratch, 'copy')
cpSync(dataDir, copy, { recursive: true })
const storage = await open(copy)
const answers = JSON.stringify(await askEverything(storage))
await storage.close()
writeFileSync(join(folder, 'answers.json.gz'), gzipSync(answers, { level: 9 }))
rmSync(scratch, { recursive: true })
