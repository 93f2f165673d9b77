/** Tenants and domains of the suites about domains. */
import type { Domain } from '../../../domains/domain.ts'

export const TENANT = '01890000-0000-7000-8000-000000000001'
export const OTHER_TENANT = '01890000-0000-7000-8000-000000000002'

/** Ids count down while names count up, so that no order is right by accident. */
export function newDomain(index: number, extra: Partial<Domain> = {}): Omit<Domain, 'number'> {
  return {
    id: `01890000-0000-7000-8000-${String(1000 - index).padStart(12, '0')}`,
    tenantId: TENANT,
    name: `d${String(index).padStart(3, '0')}.test`,
    description: '',
    sendingEmail: `postmaster@d${index}.test`,
    dnsRecords: [],
    dkimKeys: [],
    isActive: false,
    isApproved: false,
    isVerified: false,
    lastVerificationErrors: [],
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_000_000,
    ...extra,
  }
}
