/** Checks a domain's DNS records and writes down what came of it. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import { checkRecords } from './check-records.ts'
import type { TxtResolver } from './dns-resolver.ts'
import type { Domain, RequiredDnsRecord, VerificationError } from './domain.ts'
import { type CheckOutcome, nextFlags } from './domain-status.ts'
import type { DomainStore } from './domain-store.ts'

export interface VerifyDomainDeps {
  readonly domains: Pick<DomainStore, 'findById' | 'saveVerification'>
  readonly resolver: TxtResolver
  readonly clock: Clock
  /** Over everything that is asked of DNS. */
  readonly deadlineMs: number
}

export interface VerifyDomainRequest {
  /** Absent: the operator asks, who may check every domain. */
  readonly tenantId?: string
  readonly domainId: string
}

export interface VerifyDomainResult {
  readonly isVerified: boolean
  /** Empty exactly when verified. */
  readonly errors: readonly VerificationError[]
}

interface Findings {
  readonly outcome: CheckOutcome
  readonly errors: readonly VerificationError[]
  readonly dnsRecords: readonly RequiredDnsRecord[]
}

export async function verifyDomain(deps: VerifyDomainDeps, request: VerifyDomainRequest): Promise<VerifyDomainResult> {
  const domain = await requireDomainById(deps.domains, request)
  const { outcome, errors, dnsRecords } = await examine(domain, deps.resolver, deps.deadlineMs)
  const { isApproved, isVerified } = nextFlags(domain, outcome)
  await deps.domains.saveVerification(domain.id, {
    isApproved,
    isVerified,
    dnsRecords,
    lastVerificationErrors: errors,
    lastVerificationCheckedAtMs: deps.clock(),
  })
  return { isVerified: outcome === 'all_right', errors }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** No UUID, unknown and another tenant's: one and the same answer. */
async function requireDomainById(
  domains: Pick<DomainStore, 'findById'>,
  request: VerifyDomainRequest,
): Promise<Domain> {
  const id = request.domainId.toLowerCase()
  const domain = UUID.test(id) ? await domains.findById(id) : undefined
  if (domain && (request.tenantId === undefined || domain.tenantId === request.tenantId)) return domain
  throw new AppError('domain_not_found', 'Domain not found')
}

async function examine(domain: Domain, resolver: TxtResolver, deadlineMs: number): Promise<Findings> {
  const { dnsRecords } = domain
  if (!domain.isActive) {
    const error = `The domain ${domain.name} is not active yet. Wait until it has been activated, then try again.`
    return { outcome: 'not_active', errors: [configError(error)], dnsRecords }
  }
  if (!domain.dkimKey || !dnsRecords.some(({ purpose }) => purpose === 'DKIM')) {
    const error = `There is no DKIM key for ${domain.name} yet, so there is nothing to check. Ask the operator to set it up.`
    return { outcome: 'no_key', errors: [configError(error)], dnsRecords }
  }
  const checked = await checkRecords(dnsRecords, resolver, deadlineMs)
  const failed = checked.filter(({ record, outcome }) => record.required && outcome?.error)
  return {
    outcome: judge(failed.map(({ record }) => record)),
    errors: failed.flatMap(({ outcome }) => outcome?.error ?? []),
    dnsRecords: checked.map(({ record }) => record),
  }
}

/** A record that was seen to be wrong counts, whatever could not be asked beside it. */
function judge(failed: readonly RequiredDnsRecord[]): CheckOutcome {
  if (failed.length === 0) return 'all_right'
  return failed.some(({ status }) => status === 'invalid') ? 'record_wrong' : 'dns_unreachable'
}

function configError(error: string): VerificationError {
  return { type: 'CONFIG', error, required: [], actual: [] }
}
