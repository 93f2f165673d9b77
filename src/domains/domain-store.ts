/** Sender domains and their verification state. Port. */
import type { Domain, DomainFlags, RequiredDnsRecord, VerificationError } from './domain.ts'

/** Fields a listing can be sorted by, by their internal names. */
export const DOMAIN_SORT_FIELDS = [
  'id',
  'createdAt',
  'updatedAt',
  'name',
  'description',
  'sendingEmail',
  'isActive',
  'isApproved',
  'isVerified',
  'lastVerificationCheckedAt',
] as const
export type DomainSortField = (typeof DOMAIN_SORT_FIELDS)[number]

export interface DomainListQuery {
  /** Absent: all tenants (the operator's view). */
  readonly tenantId?: string
  readonly skip: number
  readonly take: number
  readonly orderBy: { readonly field: DomainSortField; readonly direction: 'asc' | 'desc' }
  /** True: active, approved and verified. False: the rest. Absent: all. */
  readonly onboarded?: boolean
}

export interface DomainPage {
  readonly domains: readonly Domain[]
  /** How many match, whatever the page. */
  readonly count: number
}

/** Without `isActive`: no outcome of a check changes it, and the operator may have changed it while the check ran. */
export interface VerificationUpdate extends Omit<DomainFlags, 'isActive'> {
  readonly dnsRecords: readonly RequiredDnsRecord[]
  readonly lastVerificationErrors: readonly VerificationError[]
  readonly lastVerificationCheckedAtMs: number
}

export interface DomainStore {
  /** Throws AppError `conflict` when the name is taken. */
  create(domain: Omit<Domain, 'number'>): Promise<Domain>
  findByName(name: string): Promise<Domain | undefined>
  findById(id: string): Promise<Domain | undefined>
  /** Ties are broken by id, so that pages never overlap. */
  list(query: DomainListQuery): Promise<DomainPage>
  /** Name and number of every domain of a tenant, without the rest. */
  listNames(tenantId: string): Promise<readonly { readonly name: string; readonly number: number }[]>
  /** Writes `updatedAt` too. */
  setActive(id: string, isActive: boolean, nowMs: number): Promise<void>
  /** Writes the outcome of a check, `updatedAt` included. */
  saveVerification(id: string, update: VerificationUpdate): Promise<void>
}
