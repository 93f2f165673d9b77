/** A sender domain as tests put it into a store: active, unverified, without a DKIM key, which takes a second to generate. */
import { randomUUIDv7 } from 'node:crypto'
import type { Domain } from '../../../src/domains/domain.ts'

export function sampleDomain(tenantId: string, name: string, changes: Partial<Domain> = {}): Omit<Domain, 'number'> {
  return {
    id: randomUUIDv7(),
    tenantId,
    name,
    description: '',
    sendingEmail: `postmaster@${name}`,
    dnsRecords: [],
    dkimKeys: [],
    isActive: true,
    isApproved: false,
    isVerified: false,
    lastVerificationErrors: [],
    createdAtMs: 0,
    updatedAtMs: 0,
    ...changes,
  }
}
