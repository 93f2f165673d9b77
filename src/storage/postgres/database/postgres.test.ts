import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { Postgres } from './postgres.ts'

const PAUSE_MS = 10

test('a connection that breaks during a transaction fails that transaction only: the process goes on', async () => {
  await using databases = await PostgresDatabases.start()
  const url = await databases.create()
  const [db, other] = [new Postgres(url), new Postgres(url)]
  try {
    for (const begin of ['transaction', 'snapshot'] as const) {
      const broken = db[begin](async (statements) => {
        const pid = await statements.number('SELECT pg_backend_pid()')
        await other.run('SELECT pg_terminate_backend($1)', pid)
        const isThere = () => other.number('SELECT count(*) FROM pg_stat_activity WHERE pid = $1', pid)
        while ((await isThere()) > 0) await delay(PAUSE_MS)
        // The end of the connection is noticed while no statement waits for it: an error that nobody listens to would be thrown here.
        await delay(5 * PAUSE_MS)
        await statements.run('SELECT 1')
      })
      await assert.rejects(broken, { code: 'storage_unavailable' })
      assert.equal(await db.number('SELECT 1'), 1)
    }
  } finally {
    await db.close()
    await other.close()
  }
})
