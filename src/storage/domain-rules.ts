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
