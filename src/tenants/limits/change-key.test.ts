import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryStorage } from '../../storage/memory/open-memory-storage.ts'
import { createKey } from '../create-key.ts'
import { changeKey } from './change-key.ts'

const NOW_MS = Date.UTC(2026, 0, 15)

function openKeys() {
  const time = { nowMs: NOW_MS }
  const clock = () => time.nowMs
  const { keys } = openMemoryStorage({ clock, serviceMessageIdField: 'service_message_id' }).control
  const deps = { keys, clock }
  const create = async () => (await createKey(deps, 'operator', ['read'], { expiresAtMs: NOW_MS + 10 })).id
  return { deps, time, create, keys }
}

test('a valid key is changed, and returned as it is then', async () => {
  const { deps, create } = openKeys()
  const id = await create()
  const { name, expiresAtMs } = await changeKey(deps, id, { name: 'reader' })
  assert.deepEqual([name, expiresAtMs], ['reader', NOW_MS + 10])
})

test('a key that is revoked or has expired is not, and the refusal says which; an unknown one is not found', async () => {
  const { deps, time, create, keys } = openKeys()
  const [revoked, expired] = [await create(), await create()]
  await keys.revokeKey(revoked, NOW_MS)
  time.nowMs += 10
  await assert.rejects(changeKey(deps, revoked, { name: 'x' }), { code: 'conflict', message: /^The key is revoked/ })
  await assert.rejects(changeKey(deps, expired, { name: 'x' }), { code: 'conflict', message: /^The key has expired/ })
  await assert.rejects(changeKey(deps, 'unknown', { name: 'x' }), { code: 'not_found' })
})
