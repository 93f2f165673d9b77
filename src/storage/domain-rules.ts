/** What every engine does alike with domains. */
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

/** Whether nobody has changed the keys or the records meanwhile. */
export function hasSameKeys(a: Domain, b: Domain): boolean {
  return isDeepStrictEqual([a.dkimKeys, a.dnsRecords], [b.dkimKeys, b.dnsRecords])
}
