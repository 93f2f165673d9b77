import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standingOf } from './domain-standing.ts'

test('a domain is inactive whatever else it is, and failing only if it is verified', () => {
  for (const [isActive, isVerified, failingSinceMs, standing] of [
    [true, true, undefined, 'verified'],
    [true, true, 0, 'failing'],
    [true, false, undefined, 'unverified'],
    [true, false, 0, 'unverified'],
    [false, true, undefined, 'inactive'],
    [false, true, 0, 'inactive'],
    [false, false, undefined, 'inactive'],
  ] as const) {
    const state = {
      isActive,
      isVerified,
      isApproved: isVerified,
      ...(failingSinceMs !== undefined && { failingSinceMs }),
    }
    assert.equal(standingOf(state), standing)
  }
})
