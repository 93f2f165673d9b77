/** Rules for domains that all engines share. */
import { isDeepStrictEqual } from 'node:util'
import type { Domain } from '../domains/domain.ts'
import type { DomainSortField } from '../domains/domain-store.ts'

/** The field that each order compares. */
export const SORTED_BY = {
  id: 'id',
  createdAt: 'createdAtMs',
  updatedAt: 'updatedAtMs',
  name: 'name',
  description: 'description',
  sendingEmail: 'sendingEmail',
  isActive: 'isActive',
  isApproved: 'isApproved',
  isVerified: 'isVerified',
  lastVerificationCheckedAt: 'lastVerificationCheckedAtMs',
} as const satisfies Readonly<Record<DomainSortField, keyof Domain>>

/** Whether the keys and the records are still the same. */
export function hasSameKeys(a: Domain, b: Domain): boolean {
  return isDeepStrictEqual([a.dkimKeys, a.dnsRecords], [b.dkimKeys, b.dnsRecords])
}

const DAY_MS = 86_400_000

/** No check is planned later than this: one that is was planned by a clock that was ahead, and is due. */
export const CHECK_WAIT_MAX_MS = 2 * DAY_MS
/** In leases. Servers may differ by less; a claim that ends later was made by a clock that was ahead. */
export const CLAIM_LEASES_MAX = 10

/** The domains so that tenants take turns: the first of each, then the second of each. Otherwise the order stays. */
export function inTurns<T extends { readonly tenantId: string }>(domains: readonly T[]): readonly T[] {
  const turns = new Map<string, number>()
  const placed = domains.map((domain) => {
    const turn = turns.get(domain.tenantId) ?? 0
    turns.set(domain.tenantId, turn + 1)
    return { domain, turn }
  })
  return placed.sort((a, b) => a.turn - b.turn).map(({ domain }) => domain)
}
