/** The contract of every RetentionStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import type { RetentionStore } from '../../../events/retention/retention-store.ts'

const SURE = { timeMs: 1_800_000_000_000, clockMs: 1_800_000_000_001, cutoffMs: 1_700_000_000_000 }
const DOUBTED = { ...SURE, doubt: { offMs: -8_640_000_000, waitedMs: 0 }, completedAtMs: 1_790_000_000_000 }

export function retentionStoreContract(
  open: () => Promise<{ readonly store: RetentionStore; readonly close: () => Promise<void> }>,
): void {
  let store: RetentionStore
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  test('the state is returned as it was saved last; there is none before the first run', async () => {
    assert.equal(await store.find(), undefined)
    await store.save(DOUBTED)
    assert.deepEqual(await store.find(), DOUBTED)
    await store.save(SURE)
    assert.deepEqual(await store.find(), SURE)
  })
}
