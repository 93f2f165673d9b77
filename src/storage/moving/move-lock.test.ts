import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { PostgresDatabases } from '../../../test/harness/storage/postgres-databases.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { lockMove } from './move-lock.ts'

const SHORT_MS = 300

test('a second move is refused while the first one runs, and waits for one that is about to end', async () => {
  await using databases = await PostgresDatabases.start()
  const url = await databases.create()
  const [first, second] = [new Postgres(url), new Postgres(url)]
  try {
    const held = await lockMove(first)
    await assert.rejects(lockMove(second, SHORT_MS), { code: 'conflict', message: /Another migrate-storage/ })
    const waiting = lockMove(second)
    await delay(SHORT_MS)
    held[Symbol.dispose]()
    const next = await waiting
    await assert.rejects(lockMove(first, 0), { code: 'conflict' })
    next[Symbol.dispose]()
  } finally {
    await first.close()
    await second.close()
  }
})
