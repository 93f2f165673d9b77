/** Sender domains and their verification state. Port. */
import type { StoredSpf } from './checks/report-json.ts'
import type { Domain, RecheckPlan, RequiredDnsRecord, VerificationState } from './domain.ts'
import type { DomainStanding } from './domain-standing.ts'
import type { CheckResult, PastChecks } from './verification/check-history.ts'

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
  /** Part of the name, in lower case. */
  readonly search?: string
}

export interface DomainPage {
  readonly domains: readonly Domain[]
  /** Total number of matching domains, regardless of the page. */
  readonly count: number
}

/** Without `isActive`: no outcome of a check changes it, and the operator may have changed it while the check ran. */
export interface VerificationUpdate
  extends Omit<VerificationState, 'isActive'>,
    Pick<Domain, 'lastVerificationErrors' | 'recheck'> {
  /** What the check found for each record. Records that were added or removed while it ran are left unchanged. */
  readonly dnsRecords: readonly RequiredDnsRecord[]
  readonly lastVerificationCheckedAtMs: number
  /** Null: none that can be stored. Absent: the check could not read the policy, and the stored one stays. */
  readonly spf?: StoredSpf | null
  /** For the history. Absent: DNS was not queried. */
  readonly result?: CheckResult
}

export type KeyUpdate = Pick<Domain, 'dkimKeys' | 'dnsRecords' | 'updatedAtMs' | 'recheck'>

/** Number of domains per standing; each domain is counted once. */
export type DomainCensus = Readonly<Record<DomainStanding, number>>

export interface DomainStore {
  /**
   * Throws AppError `conflict` when the name is taken, unless the domain that has it gives way (`givesWay`): that one is deleted.
   * Throws `quota_exceeded` when the tenant has too many domains, or too many unproven ones.
   */
  create(domain: Omit<Domain, 'number'>): Promise<Domain>
  findByName(name: string): Promise<Domain | undefined>
  findById(id: string): Promise<Domain | undefined>
  /** The SPF policy that the last check found. Not a field of the domain, because it may be long and is rarely needed. */
  findSpf(id: string): Promise<StoredSpf | undefined>
  /** What the latest checks found, newest first. Not a field of the domain, for the same reason. */
  findChecks(id: string): Promise<readonly PastChecks[]>
  /** Ties are broken by id, so that pages never overlap. */
  list(query: DomainListQuery): Promise<DomainPage>
  /** Only the name and number of every domain of a tenant, or of all tenants, sorted by name. */
  listNames(tenantId?: string): Promise<readonly { readonly name: string; readonly number: number }[]>
  /**
   * Claims active domains whose next check is due; returns their ids. Tenants take turns: first the longest overdue domain of
   * each, then the next one of each. Nobody else gets them until the lease has expired, the claim is released, or a check or
   * another plan is saved. Domains of suspended tenants are not due. `nowMs`: of the clock that all servers of the storage share.
   */
  claimDue(nowMs: number, limit: number, leaseMs: number): Promise<readonly string[]>
  /** The domains are due again at once. */
  releaseClaims(ids: readonly string[]): Promise<void>
  census(): Promise<DomainCensus>
  /**
   * Also writes `updatedAt` and `deactivatedAt`, and the schedule if a plan is given. An inactive domain is never due. Activation
   * by the operator stands for the proof.
   */
  setActive(id: string, isActive: boolean, nowMs: number, recheck?: RecheckPlan): Promise<void>
  /** Writes the outcome of a check, `updatedAt` included. A verified domain is proven. */
  saveVerification(id: string, update: VerificationUpdate): Promise<void>
  /** Writes only the schedule; `updatedAt` stays. */
  saveRecheck(id: string, recheck: RecheckPlan): Promise<void>
  /** Returns false and writes nothing if the keys or records of the domain differ from those of `before`. */
  saveKeys(before: Domain, update: KeyUpdate): Promise<boolean>
  /** Deletes a domain that is active and not proven, so that it has no events. Returns false for any other. */
  removeUnproven(id: string): Promise<boolean>
}
