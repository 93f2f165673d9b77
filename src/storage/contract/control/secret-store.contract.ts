/** The contract of every SecretStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { AppError } from '../../../lib/app-error.ts'
import type { SecretStore } from '../../../lib/sealing/secret-store.ts'

const FIRST = { id: 'aaaa', createdAtMs: 1, resealedAtMs: 1 }
const SECOND = { id: 'bbbb', createdAtMs: 2 }
const FIRST_SEALED = { ...FIRST, sealedSecret: Uint8Array.from([0, 255, 1]) }

export function secretStoreContract(
  open: () => Promise<{ readonly store: SecretStore; readonly close: () => Promise<void> }>,
): void {
  let store: SecretStore
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  test('generations are returned as they were stored, newest first', async () => {
    assert.deepEqual(await store.listGenerations(), [])
    await store.replaceGenerations([FIRST], undefined)
    assert.deepEqual(await store.listGenerations(), [FIRST])
    await store.replaceGenerations([SECOND, FIRST_SEALED], 'aaaa')
    const [second, first] = await store.listGenerations()
    assert.deepEqual(second, SECOND)
    assert.deepEqual({ ...first, sealedSecret: Uint8Array.from(first?.sealedSecret ?? []) }, { ...FIRST_SEALED })
  })

  test('a change that is based on another newest generation is refused and changes nothing', async () => {
    await store.replaceGenerations([FIRST], undefined)
    for (const newestId of [undefined, 'bbbb']) {
      await assert.rejects(
        store.replaceGenerations([SECOND], newestId),
        (error) => error instanceof AppError && error.code === 'conflict',
      )
    }
    assert.deepEqual(await store.listGenerations(), [FIRST])
  })
}
