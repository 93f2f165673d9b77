import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { DomainFlags, VerificationState } from '../domain.ts'
import {
  CHECK_OUTCOMES,
  CHECK_TRIGGERS,
  type CheckOutcome,
  FAILING_GRACE_MS,
  findChange,
  isNewlyBroken,
  nextState,
} from './domain-status.ts'

const NOW_MS = 1_700_000_000_000

const ANY_FLAGS: readonly DomainFlags[] = [true, false].flatMap((isActive) =>
  [true, false].flatMap((isApproved) => [true, false].map((isVerified) => ({ isActive, isApproved, isVerified }))),
)

/** The table of nextState, row by row: flags that are not named stay unchanged. */
const ROWS: Readonly<Record<CheckOutcome, Partial<DomainFlags>>> = {
  not_active: { isActive: false },
  all_right: { isActive: true, isApproved: true, isVerified: true },
  record_wrong: { isApproved: false, isVerified: false },
  dns_unreachable: {},
  no_key: {},
}

const VERIFIED: DomainFlags = { isActive: true, isApproved: true, isVerified: true }
const UNVERIFIED: DomainFlags = { isActive: true, isApproved: false, isVerified: false }

describe('a check that a user asked for', () => {
  for (const outcome of CHECK_OUTCOMES) {
    test(`${outcome} leads to ${JSON.stringify(ROWS[outcome])} from any flags, and changes nothing else`, () => {
      for (const flags of ANY_FLAGS) {
        const check = { outcome, trigger: 'asked', nowMs: NOW_MS } as const
        assert.deepEqual(nextState(flags, check), { ...flags, ...ROWS[outcome] })
      }
    })
  }

  test('removes the flags of a failing domain at once, together with the time of its first failure', () => {
    const failing = { ...VERIFIED, failingSinceMs: NOW_MS - 1 }
    assert.deepEqual(nextState(failing, { outcome: 'record_wrong', trigger: 'asked', nowMs: NOW_MS }), UNVERIFIED)
  })
})

describe('a scheduled check', () => {
  const check = (state: VerificationState, outcome: CheckOutcome, nowMs = NOW_MS) =>
    nextState(state, { outcome, trigger: 'scheduled', nowMs })

  for (const outcome of CHECK_OUTCOMES) {
    if (outcome === 'record_wrong') continue
    test(`${outcome} does the same as when a user asked`, () => {
      for (const flags of ANY_FLAGS) assert.deepEqual(check(flags, outcome), { ...flags, ...ROWS[outcome] })
    })
  }

  test('record_wrong keeps the flags the first time and records the time', () => {
    for (const flags of ANY_FLAGS) {
      const hasFlags = flags.isApproved || flags.isVerified
      assert.deepEqual(check(flags, 'record_wrong'), { ...flags, ...(hasFlags && { failingSinceMs: NOW_MS }) })
    }
  })

  test('record_wrong again within the hour keeps the flags, and the time of the first failure', () => {
    const state = { ...VERIFIED, failingSinceMs: NOW_MS }
    for (const laterMs of [0, 1, FAILING_GRACE_MS - 1]) {
      assert.deepEqual(check(state, 'record_wrong', NOW_MS + laterMs), state)
    }
    // Nor does a clock that was set back.
    assert.deepEqual(check(state, 'record_wrong', NOW_MS - FAILING_GRACE_MS), state)
  })

  test('record_wrong again after an hour removes the flags', () => {
    const state = { ...VERIFIED, failingSinceMs: NOW_MS }
    assert.deepEqual(check(state, 'record_wrong', NOW_MS + FAILING_GRACE_MS), UNVERIFIED)
  })

  test('all_right in between resets the failure; a failed query neither resets it nor counts', () => {
    const state = { ...VERIFIED, failingSinceMs: NOW_MS }
    assert.deepEqual(check(state, 'all_right'), VERIFIED)
    for (const outcome of ['dns_unreachable', 'no_key'] as const) {
      assert.deepEqual(check(state, outcome, NOW_MS + 10 * FAILING_GRACE_MS), state)
    }
    assert.deepEqual(check(state, 'not_active'), { ...state, isActive: false })
  })
})

test('the result has only the fields of the state', () => {
  for (const outcome of CHECK_OUTCOMES) {
    const domain = { ...VERIFIED, name: 'example.com' }
    const state = nextState(domain, { outcome, trigger: 'asked', nowMs: NOW_MS })
    assert.deepEqual(Object.keys(state).toSorted(), ['isActive', 'isApproved', 'isVerified'])
  }
})

test('flags are removed only for a wrong record, on request or if found twice an hour apart', () => {
  const step = fc.record({
    outcome: fc.constantFrom(...CHECK_OUTCOMES),
    trigger: fc.constantFrom(...CHECK_TRIGGERS),
    waitMs: fc.integer({ min: 0, max: 2 * FAILING_GRACE_MS }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state: VerificationState = UNVERIFIED
      let nowMs = NOW_MS
      /** Times of scheduled checks that found a record wrong since all were last correct, or the flags were last removed. */
      let firstWrongMs: number | undefined
      for (const { outcome, trigger, waitMs } of steps) {
        nowMs += waitMs
        const after = nextState(state, { outcome, trigger, nowMs })
        const hasReason = trigger === 'asked' || (firstWrongMs !== undefined && nowMs - firstWrongMs >= 3_600_000)
        if (outcome === 'record_wrong') assert.equal(after.isVerified, state.isVerified && !hasReason)
        else assert.equal(after.isVerified, outcome === 'all_right' || state.isVerified)
        assert.equal(after.isApproved, after.isVerified)
        if (outcome === 'all_right' || !after.isVerified) firstWrongMs = undefined
        else if (outcome === 'record_wrong') firstWrongMs ??= nowMs
        assert.equal(after.failingSinceMs, firstWrongMs)
        state = after
      }
    }),
    { numRuns: 1000 },
  )
})

describe('reported changes', () => {
  const failing: VerificationState = { ...VERIFIED, failingSinceMs: 1 }
  const CASES = [
    [VERIFIED, VERIFIED, undefined, false],
    [VERIFIED, failing, 'fails', true],
    [VERIFIED, UNVERIFIED, 'unverified', true],
    [failing, failing, undefined, false],
    [failing, UNVERIFIED, 'unverified', false],
    [failing, VERIFIED, 'recovered', false],
    [UNVERIFIED, UNVERIFIED, undefined, false],
    [UNVERIFIED, VERIFIED, 'verified', false],
  ] as const

  test('each change once, and a domain that breaks counts once', () => {
    for (const [before, after, change, isBroken] of CASES) {
      assert.equal(findChange(before, after), change)
      assert.equal(isNewlyBroken(before, after), isBroken)
    }
  })
})
