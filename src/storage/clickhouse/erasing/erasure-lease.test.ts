import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PostgresDatabases } from '../../../../test/harness/storage/postgres-databases.ts'
import { AppError } from '../../../lib/app-error.ts'
import { Postgres } from '../../postgres/database/postgres.ts'
import { ErasureLease } from './erasure-lease.ts'

const EVERY_MS = 20
const EXPIRE = "UPDATE erasing SET leased_until = clock_timestamp() + interval '1 second'"
const READ_SECONDS = 'SELECT extract(epoch FROM leased_until - clock_timestamp())::int FROM erasing'

test('the right to erase is kept during a long look, and one that was lost anyway is noticed', async () => {
  await using databases = await PostgresDatabases.start()
  const db = new Postgres(await databases.create())
  try {
    const lease = (await ErasureLease.claim(db)) ?? assert.fail()
    await db.run(EXPIRE)
    const isExtended = async () => {
      while ((await db.number(READ_SECONDS)) < 30) await delay(EVERY_MS)
      return 'found'
    }
    assert.equal(await lease.keepDuring(isExtended(), EVERY_MS), 'found')
    assert.equal(await ErasureLease.claim(db), undefined)
    const failure = Promise.reject(new AppError('storage_unavailable', 'x'))
    await assert.rejects(lease.keepDuring(failure, EVERY_MS), { message: 'x' })
    await db.run('UPDATE erasing SET lease = lease + 1')
    assert.equal(await lease.keepDuring(delay(3 * EVERY_MS, 'found'), EVERY_MS), 'found')
    await assert.rejects(lease.extend(), { code: 'storage_unavailable', message: /Another server/ })
  } finally {
    await db.close()
  }
})
