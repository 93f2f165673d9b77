import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givesWay, isProven, requireUnprovenRoom, UNPROVEN_MAX } from './unproven-domain.ts'

test('a domain without a time limit for its proof is proven', () => {
  assert.equal(isProven({}), true)
  assert.equal(isProven({ proofDueAtMs: 0 }), false)
})

test('an unproven domain gives way to the operator at once, and to another tenant after its time; never to its own', () => {
  const holder = { tenantId: 'a', proofDueAtMs: 1000 }
  const byOperator = { tenantId: 'b', createdAtMs: 0 }
  const byTenant = (createdAtMs: number) => ({ tenantId: 'b', createdAtMs, proofDueAtMs: createdAtMs + 1000 })
  assert.equal(givesWay(holder, byOperator), true)
  assert.equal(givesWay(holder, byTenant(999)), false)
  assert.equal(givesWay(holder, byTenant(1000)), true)
  assert.equal(givesWay(holder, { ...byTenant(5000), tenantId: 'a' }), false)
  assert.equal(givesWay({ tenantId: 'a' }, byTenant(5000)), false)
  assert.equal(givesWay({ tenantId: 'a' }, byOperator), false)
})

test('a tenant has room for a hundred unproven domains', () => {
  assert.equal(UNPROVEN_MAX, 100)
  assert.doesNotThrow(() => requireUnprovenRoom(99))
  assert.throws(() => requireUnprovenRoom(100), { code: 'quota_exceeded', message: /100 domains/ })
})
