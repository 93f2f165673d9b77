import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeQuotas, requireRoom } from './quotas.ts'

test('a quota is used up to the last one, and without a quota there is always room', () => {
  requireRoom('domains', undefined, 1_000_000)
  requireRoom('domains', 5, 4)
  for (const used of [5, 6]) {
    assert.throws(() => requireRoom('keys', 5, used), { code: 'quota_exceeded', message: /keys, and its quota is 5/ })
  }
  assert.throws(() => requireRoom('keys', 0, 0), { code: 'quota_exceeded' })
})

test('a change leaves what it does not name, and null removes a quota', () => {
  assert.deepEqual(changeQuotas(undefined, { domains: 5 }), { domains: 5 })
  assert.deepEqual(changeQuotas({ domains: 5, keys: 2 }, { keys: 0 }), { domains: 5, keys: 0 })
  assert.deepEqual(changeQuotas({ domains: 5, keys: 2 }, { keys: null }), { domains: 5 })
  assert.deepEqual(changeQuotas({ domains: 5 }, {}), { domains: 5 })
  assert.equal(changeQuotas({ domains: 5 }, { domains: null }), undefined)
  assert.equal(changeQuotas(undefined, {}), undefined)
})
