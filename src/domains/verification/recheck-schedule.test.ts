import assert from 'node:assert/strict'
import { randomUUIDv7 } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { RecheckPlan, VerificationState } from '../domain.ts'
import { CHECK_OUTCOMES, CHECK_TRIGGERS, type CheckOutcome, type CheckTrigger, nextState } from './domain-status.ts'
import { firstRecheck, laterRecheck, planRecheck, RECHECK_LADDER_MS } from './recheck-schedule.ts'

const NOW_MS = 1_700_000_000_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const ID = '01890000-0000-7000-8000-0000000000aa'

const UNVERIFIED: VerificationState = { isActive: true, isApproved: false, isVerified: false }
const VERIFIED: VerificationState = { isActive: true, isApproved: true, isVerified: true }

interface Step {
  readonly before: VerificationState & { readonly recheck?: RecheckPlan }
  readonly outcome: CheckOutcome
  readonly trigger?: CheckTrigger
  readonly nowMs?: number
  readonly id?: string
  readonly isKeyAwaited?: boolean
}

function check({ before, outcome, trigger = 'scheduled', nowMs = NOW_MS, id = ID, isKeyAwaited = false }: Step) {
  const after = nextState(before, { outcome, trigger, nowMs })
  const recheck = planRecheck({ domainId: id, outcome, trigger, nowMs, before, after, isKeyAwaited })
  return { ...after, ...(recheck && { recheck }) }
}

function waitAfter(step: Step): number {
  const { recheck } = check(step)
  assert.ok(recheck)
  return recheck.atMs - (step.nowMs ?? NOW_MS)
}

describe('an unverified domain', () => {
  test('is checked a minute after it was added, then less and less often, finally daily', () => {
    let state: Step['before'] = { ...UNVERIFIED, recheck: firstRecheck(ID, NOW_MS) }
    let nowMs = NOW_MS
    const waits: number[] = []
    for (let index = 0; index < 12; index++) {
      assert.ok(state.recheck)
      waits.push(state.recheck.atMs - nowMs)
      nowMs = state.recheck.atMs
      state = check({ before: state, outcome: 'record_wrong', nowMs })
    }
    const rungs = [1, 5, 15, 60, 240, 720].map((minutes) => minutes * MINUTE_MS)
    for (const [index, rungMs] of rungs.entries()) {
      const wait = waits[index] ?? 0
      assert.ok(wait >= rungMs && wait <= 1.1 * rungMs, `${wait} instead of ${rungMs}`)
    }
    assert.ok((waits[6] ?? 0) >= DAY_MS / 2 && (waits[6] ?? 0) < 1.5 * DAY_MS)
    assert.deepEqual(waits.slice(7), [DAY_MS, DAY_MS, DAY_MS, DAY_MS, DAY_MS])
  })

  test('starts again at a minute when a user asks', () => {
    const before = { ...UNVERIFIED, recheck: { atMs: NOW_MS + DAY_MS, step: 6 } }
    for (const outcome of ['record_wrong', 'dns_unreachable', 'no_key'] as const) {
      const wait = waitAfter({ before, outcome, trigger: 'asked' })
      assert.ok(wait >= MINUTE_MS && wait <= 1.1 * MINUTE_MS)
    }
  })

  test('also climbs the ladder while DNS queries fail', () => {
    const before = { ...UNVERIFIED, recheck: { atMs: NOW_MS, step: 3 } }
    const { recheck } = check({ before, outcome: 'dns_unreachable' })
    assert.equal(recheck?.step, 4)
    assert.ok((recheck?.atMs ?? 0) >= NOW_MS + HOUR_MS)
  })
})

describe('a verified domain', () => {
  test('is checked daily at its own time, whatever delayed the last check', () => {
    const first = check({ before: UNVERIFIED, outcome: 'all_right' })
    assert.ok(first.recheck)
    const timeOfDay = first.recheck.atMs % DAY_MS
    for (const lateMs of [0, 1, MINUTE_MS, 5 * HOUR_MS, 3 * DAY_MS + 7 * HOUR_MS]) {
      const nowMs = first.recheck.atMs + lateMs
      const { recheck } = check({ before: first, outcome: 'all_right', nowMs })
      assert.ok(recheck)
      assert.equal(recheck.atMs % DAY_MS, timeOfDay)
      assert.ok(recheck.atMs - nowMs >= DAY_MS / 2 && recheck.atMs - nowMs < 1.5 * DAY_MS)
    }
  })

  test('a thousand that were checked at the same moment are spread over the day', () => {
    const hours = Array.from({ length: 24 }, () => 0)
    for (let index = 0; index < 1000; index++) {
      const { recheck } = check({ before: VERIFIED, outcome: 'all_right', id: randomUUIDv7() })
      const hour = Math.floor(((recheck?.atMs ?? 0) % DAY_MS) / HOUR_MS)
      hours[hour] = (hours[hour] ?? 0) + 1
    }
    assert.ok(Math.max(...hours) < 100, `an hour with ${Math.max(...hours)} of 1000`)
    assert.ok(Math.min(...hours) > 10, `an hour with ${Math.min(...hours)} of 1000`)
  })

  test('that fails is checked again in an hour, which decides; then it is an unverified one', () => {
    const failing = check({ before: VERIFIED, outcome: 'record_wrong' })
    assert.equal(failing.isVerified, true)
    assert.deepEqual(failing.recheck, { atMs: NOW_MS + HOUR_MS, step: 0 })
    const lost = check({ before: failing, outcome: 'record_wrong', nowMs: NOW_MS + HOUR_MS })
    assert.equal(lost.isVerified, false)
    assert.deepEqual(lost.recheck, firstRecheck(ID, NOW_MS + HOUR_MS))
  })

  test('that fails and is checked early keeps its scheduled time', () => {
    const failing = { ...VERIFIED, failingSinceMs: NOW_MS - 20 * MINUTE_MS }
    assert.equal(waitAfter({ before: failing, outcome: 'record_wrong' }), 40 * MINUTE_MS)
    const unasked = check({ before: failing, outcome: 'dns_unreachable' })
    assert.equal(unasked.isVerified, true)
    assert.ok((unasked.recheck?.atMs ?? 0) <= NOW_MS + 2 * MINUTE_MS)
  })

  test('with a new key is checked as often as an unverified one, until the key has been seen', () => {
    const before = { ...VERIFIED, recheck: firstRecheck(ID, NOW_MS) }
    const wait = waitAfter({ before, outcome: 'all_right', isKeyAwaited: true })
    assert.ok(wait >= 5 * MINUTE_MS && wait <= 5.5 * MINUTE_MS)
    assert.ok(waitAfter({ before, outcome: 'all_right' }) >= DAY_MS / 2)
  })
})

test('an inactive domain is never checked', () => {
  const before = { ...UNVERIFIED, isActive: false, recheck: firstRecheck(ID, NOW_MS) }
  for (const trigger of CHECK_TRIGGERS)
    assert.equal('recheck' in check({ before, outcome: 'not_active', trigger }), false)
})

test('a check that throws is delayed further each time', () => {
  let recheck: RecheckPlan | undefined
  for (const rungMs of RECHECK_LADDER_MS.slice(0, -1)) {
    recheck = laterRecheck(ID, NOW_MS, recheck)
    assert.ok(recheck.atMs >= NOW_MS + rungMs)
  }
})

test('an active domain always has a next check, at least a minute and less than 1.5 days away', () => {
  const step = fc.record({
    outcome: fc.constantFrom(...CHECK_OUTCOMES),
    trigger: fc.constantFrom(...CHECK_TRIGGERS),
    // Sometimes the clock is set back.
    waitMs: fc.integer({ min: -HOUR_MS, max: 2 * DAY_MS }),
    isKeyAwaited: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.uuid(), fc.array(step, { maxLength: 30 }), (id, steps) => {
      let state: Step['before'] = { ...UNVERIFIED, recheck: firstRecheck(id, NOW_MS) }
      let nowMs = NOW_MS
      for (const { waitMs, ...rest } of steps) {
        nowMs += waitMs
        state = check({ before: { ...state, isActive: true }, nowMs, id, ...rest })
        assert.equal(state.recheck !== undefined, state.isActive)
        if (!state.recheck) continue
        const wait = state.recheck.atMs - nowMs
        assert.ok(wait >= MINUTE_MS && wait < 1.5 * DAY_MS, `${wait}`)
        assert.ok(state.recheck.step >= 0 && state.recheck.step < RECHECK_LADDER_MS.length)
      }
    }),
    { numRuns: 1000 },
  )
})

test('the ladder goes from a minute to a day, and begins anew when all is right or nothing is planned', () => {
  const minutes = [1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60]
  assert.deepEqual(
    RECHECK_LADDER_MS,
    minutes.map((count) => count * MINUTE_MS),
  )
  const before = { ...VERIFIED, recheck: { atMs: NOW_MS, step: 3 } }
  assert.equal(check({ before, outcome: 'all_right' }).recheck?.step, 0)
  assert.deepEqual(laterRecheck(ID, NOW_MS, undefined), firstRecheck(ID, NOW_MS))
})
