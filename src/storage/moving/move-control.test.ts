import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { PostgresDatabases } from '../../../test/harness/storage/postgres-databases.ts'
import { openTestStorage } from '../../../test/harness/storage/sqlite-storage.ts'
import type { QuarantinedRecord, QuarantineStore } from '../../events/ingest/quarantine-store.ts'
import { openControl } from '../postgres/control/open-control.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { CONTROL_FILE } from '../sqlite/control/control-file.ts'
import { Database, type SqlValue } from '../sqlite/database/database.ts'
import { copyControl } from './move-control.ts'

/** More than are compared, deleted or inserted at a time. */
const RECORDS = 6000
const RECORD_BYTES = 1500
/** Of PostgreSQL with a transaction in which nothing happens. */
const PATIENCE_MS = 200

test('a quarantine that takes long to read is copied in steps, and what differs the next time is replaced', async () => {
  await using databases = await PostgresDatabases.start()
  await using source = await openTestStorage()
  const url = await databases.create()
  const target = new Postgres(url, { idle_in_transaction_session_timeout: PATIENCE_MS })
  const control = await openControl({ url, isMoving: true })
  const copy = async () => {
    const folder = new SlowDatabase(join(source.dataDir, CONTROL_FILE), { readOnly: true })
    const counts = await copyControl(folder, target, async () => undefined)
    folder.close()
    assert.deepEqual(await listAll(control.stores.quarantine), await listAll(source.control.quarantine))
    return counts.quarantine
  }
  await source.control.quarantine.add(
    Array.from({ length: RECORDS }, (_, number) => record(number)),
    5,
  )
  assert.equal(await copy(), RECORDS)
  // Every second one is gone, and one has been rejected again.
  const ids = (await listAll(source.control.quarantine)).map(({ id }) => id)
  const odd = ids.filter((id) => id % 2 === 1)
  await source.control.quarantine.remove(odd)
  await source.control.quarantine.add([record(1)], 6)
  assert.equal(await copy(), RECORDS - odd.length)
  await control.close()
  await target.close()
})

/** The comparison of a large table takes longer than PostgreSQL is patient. */
class SlowDatabase extends Database {
  override *iterate<T extends SqlValue[]>(sql: string): Generator<T> {
    const end = performance.now() + (sql.includes('FROM quarantine ') ? 2 * PATIENCE_MS : 0)
    while (performance.now() < end);
    yield* super.iterate<T>(sql)
  }
}

function record(number: number) {
  const source = { kind: 'key', name: 'k' } as never
  return { payload: Buffer.alloc(RECORD_BYTES, `${number} `), connector: 'native' as const, source, reason: 'bad' }
}

async function listAll(store: QuarantineStore): Promise<readonly QuarantinedRecord[]> {
  const found: QuarantinedRecord[] = []
  for (let afterId = 0; ; afterId = found.at(-1)?.id ?? 0) {
    const page = await store.list({ afterId, limit: 1000 })
    found.push(...page)
    if (page.length === 0) return found
  }
}
