import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryState } from '../storage/memory/memory-state.ts'
import { openMemoryStorage } from '../storage/memory/open-memory-storage.ts'
import { asOne } from './as-one.ts'

const NOW_MS = Date.UTC(2026, 4, 20, 12)
const HOUR_MS = 3_600_000

test('a server whose clock differs from the one of the database leaves the work to others, and says so', async () => {
  const state = createMemoryState()
  const clock = () => NOW_MS
  const errors: unknown[] = []
  const runBy = (offMs: number) => {
    const storage = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id', state, isShared: true })
    const logger = { error: (...values: unknown[]) => void errors.push(values) }
    return asOne({ storage, clock: () => NOW_MS + offMs, logger }, 'retention', HOUR_MS, async () => 'done')
  }
  assert.equal(await runBy(100 * 24 * HOUR_MS), undefined)
  assert.equal(await runBy(-HOUR_MS), undefined)
  assert.equal(await runBy(Number.POSITIVE_INFINITY), undefined)
  assert.equal(errors.length, 3)
  assert.match(JSON.stringify(errors[0]), /2026-08-28T12:00:00.000Z.*2026-05-20T12:00:00.000Z.*left to other servers/)
  // None of them has kept a server with a right clock from it.
  assert.equal(await runBy(60_000), 'done')
  assert.equal(errors.length, 3)
  assert.equal(await runBy(0), undefined)
})

test('a server that is alone has no clock to compare with', async () => {
  const storage = openMemoryStorage({ clock: () => NOW_MS, serviceMessageIdField: 'service_message_id' })
  const deps = { storage, clock: () => 0, logger: { error: () => assert.fail() } }
  assert.equal(await asOne(deps, 'retention', HOUR_MS, async () => 'done'), 'done')
})
