import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DomainFlags } from './domain.ts'
import { CHECK_OUTCOMES, type CheckOutcome, nextFlags } from './domain-status.ts'

const ANY_FLAGS: readonly DomainFlags[] = [true, false].flatMap((isActive) =>
  [true, false].flatMap((isApproved) => [true, false].map((isVerified) => ({ isActive, isApproved, isVerified }))),
)

/** The decisions' table, row by row: what is not named stays as it was. */
const ROWS: Readonly<Record<CheckOutcome, Partial<DomainFlags>>> = {
  not_active: { isActive: false },
  all_right: { isActive: true, isApproved: true, isVerified: true },
  record_wrong: { isApproved: false, isVerified: false },
  dns_unreachable: {},
  no_key: {},
}

describe('domain status', () => {
  for (const outcome of CHECK_OUTCOMES) {
    test(`${outcome} leads to ${JSON.stringify(ROWS[outcome])} from any flags, and changes nothing else`, () => {
      for (const flags of ANY_FLAGS) {
        assert.deepEqual(nextFlags(flags, outcome), { ...flags, ...ROWS[outcome] })
      }
    })
  }

  test('nothing but the flags comes out, whatever went in', () => {
    const [flags] = ANY_FLAGS
    assert.ok(flags)
    const domain = { ...flags, name: 'example.com' }
    assert.deepEqual(Object.keys(nextFlags(domain, 'no_key')).toSorted(), ['isActive', 'isApproved', 'isVerified'])
  })
})
