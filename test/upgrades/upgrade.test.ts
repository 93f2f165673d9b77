/** Data folders that earlier releases have written, upgraded to this one: every answer stays the same. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Database } from '../../src/storage/sqlite/database/database.ts'
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'
import { askEverything } from './ask-everything.ts'
import { DAY, DAYS, eventsOf, FIRST } from './traffic.ts'

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

test('there is a data folder of every release', () => {
  assert.ok(releases.length > 0)
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
