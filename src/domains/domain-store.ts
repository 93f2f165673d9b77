/** Sender domains and their verification state. Port. */
import type { Domain, RecheckPlan, RequiredDnsRecord, VerificationError, VerificationState } from './domain.ts'

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
export interface VerificationUpdate extends Omit<VerificationState, 'isActive'> {
  /** What was seen of each record. Records that the domain got or lost while the check ran are left as they are. */
  readonly dnsRecords: readonly RequiredDnsRecord[]
  readonly lastVerificationErrors: readonly VerificationError[]
  readonly lastVerificationCheckedAtMs: number
  readonly recheck?: RecheckPlan
}

export interface KeyUpdate extends Pick<Domain, 'dkimKeys' | 'dnsRecords' | 'updatedAtMs'> {
  readonly recheck?: RecheckPlan
}

/** How many domains are in which state; each counts once. */
export interface DomainCensus {
  readonly verified: number
  /** Verified, and found wrong by the last check that could tell. */
  readonly failing: number
  readonly unverified: number
  /** Whatever their other flags. */
  readonly inactive: number
}

export interface DomainStore {
  /** Throws AppError `conflict` when the name is taken. */
  create(domain: Omit<Domain, 'number'>): Promise<Domain>
  findByName(name: string): Promise<Domain | undefined>
  findById(id: string): Promise<Domain | undefined>
  /** Ties are broken by id, so that pages never overlap. */
  list(query: DomainListQuery): Promise<DomainPage>
  /** Name and number of every domain of a tenant, by name, without the rest. */
  listNames(tenantId: string): Promise<readonly { readonly name: string; readonly number: number }[]>
  /** Ids of active domains whose next check is due, longest overdue first. */
  listDue(nowMs: number, limit: number): Promise<readonly string[]>
  census(): Promise<DomainCensus>
  /** Writes `updatedAt` too. With a plan also when to check; a domain that is not active is never due. */
  setActive(id: string, isActive: boolean, nowMs: number, recheck?: RecheckPlan): Promise<void>
  /** Writes the outcome of a check, `updatedAt` included. */
  saveVerification(id: string, update: VerificationUpdate): Promise<void>
  /** Only when to check next; to others the domain looks unchanged. */
  saveRecheck(id: string, recheck: RecheckPlan): Promise<void>
  /** False, and nothing is written, when keys or records of the domain are no longer those of `before`. */
  saveKeys(before: Domain, update: KeyUpdate): Promise<boolean>
}
