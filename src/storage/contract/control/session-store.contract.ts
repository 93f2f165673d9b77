/** The contract of every SessionStore. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { NO_SESSIONS, type SessionStore } from '../../../tenants/session-store.ts'

export function sessionStoreContract(
  open: () => Promise<{ readonly store: SessionStore; readonly close: () => Promise<void> }>,
): void {
  let store: SessionStore
  let close: () => Promise<void>
  beforeEach(async () => {
    ;({ store, close } = await open())
  })
  afterEach(() => close())

  test('ended sessions are stored for each key, and seen by the next read', async () => {
    assert.deepEqual(await store.findSessions('key'), NO_SESSIONS)
    const one = { epoch: 0, ended: [{ id: 'a', expiresAtMs: 5 }] }
    assert.equal(await store.saveSessions('key', NO_SESSIONS, one), true)
    assert.deepEqual(await store.findSessions('key'), one)
    assert.deepEqual(await store.findSessions('KEY'), NO_SESSIONS)
    assert.equal(await store.saveSessions('key', one, { epoch: 1, ended: [] }), true)
    assert.deepEqual(await store.findSessions('key'), { epoch: 1, ended: [] })
  })

  test('of two changes that are based on the same state, one is refused', async () => {
    const one = { epoch: 0, ended: [{ id: 'a', expiresAtMs: 5 }] }
    const other = { epoch: 0, ended: [{ id: 'b', expiresAtMs: 5 }] }
    const saved = await Promise.all([
      store.saveSessions('key', NO_SESSIONS, one),
      store.saveSessions('key', NO_SESSIONS, other),
    ])
    assert.equal(saved.filter(Boolean).length, 1)
    assert.deepEqual(await store.findSessions('key'), saved[0] ? one : other)
  })
}
