/** Checks the DNS records of a domain and records the result. */
import type { Clock } from '../../lib/clock.ts'
import { checkDomain } from '../checks/check-domain.ts'
import { type DomainReport, judgeReport, listBlockingErrors, listCheckedRecords } from '../checks/domain-report.ts'
import { isStorable, toStoredSpf } from '../checks/report-json.ts'
import type { Dns } from '../dns-resolver.ts'
import type { Domain, RequiredDnsRecord, VerificationError, VerificationState } from '../domain.ts'
import type { DomainStore } from '../domain-store.ts'
import { findKeyInState, findKeyRecord } from '../records/dkim-keys.ts'
import { toCheckResult } from './check-history.ts'
import { type CheckOutcome, type CheckTrigger, nextState } from './domain-status.ts'
import { planRecheck } from './recheck-schedule.ts'

/** So that a request is answered within ten seconds. */
export const VERIFY_DEADLINE_MS = 9000

export interface VerifyDomainDeps {
  readonly domains: Pick<DomainStore, 'findById' | 'saveVerification'>
  readonly dns: Dns
  readonly clock: Clock
  /** For all DNS queries together. */
  readonly deadlineMs?: number
}

export interface VerifyDomainResult {
  readonly isVerified: boolean
  /** Empty exactly when verified. */
  readonly errors: readonly VerificationError[]
  /** The full report; absent if DNS was not queried. */
  readonly report?: DomainReport
}

export interface Findings {
  readonly outcome: CheckOutcome
  readonly errors: readonly VerificationError[]
  readonly dnsRecords: readonly RequiredDnsRecord[]
  readonly report?: DomainReport
}

/** A check and what it changed, for logs and metrics. */
export interface CheckedDomain {
  readonly domain: Domain
  readonly trigger: CheckTrigger
  readonly findings: Findings
  readonly before: VerificationState
  readonly after: VerificationState
}

/** Stores nothing. When the signal aborts, open queries count as unanswered. */
export async function examineDomain(
  domain: Domain,
  dns: Dns,
  options: { readonly deadlineMs: number; readonly signal?: AbortSignal },
): Promise<Findings> {
  const { name, dnsRecords: records, sendingEmail } = domain
  const obstacle = findObstacle(domain)
  if (obstacle) {
    const error: VerificationError = { type: 'CONFIG', error: obstacle.error, required: [], actual: [] }
    return { outcome: obstacle.outcome, errors: [error], dnsRecords: records }
  }
  const report = await checkDomain({ domainName: name, records, sendingEmail }, dns, options)
  return {
    outcome: judgeReport(report),
    errors: listBlockingErrors(report),
    dnsRecords: listCheckedRecords(report),
    report,
  }
}

/** The reason not to query DNS at all, if there is one. */
function findObstacle(domain: Domain): { readonly outcome: CheckOutcome; readonly error: string } | undefined {
  if (!domain.isActive) {
    const error = `The domain ${domain.name} is not active yet. Wait until it has been activated, then try again.`
    return { outcome: 'not_active', error }
  }
  const key = findKeyInState(domain, 'current')
  if (key && findKeyRecord(domain, key)) return undefined
  const error = `There is no DKIM key for ${domain.name} yet, so there is nothing to check. Ask the operator to create one.`
  return { outcome: 'no_key', error }
}

/** Records the findings and the state that follows from them, based on the current state of the domain. */
export async function recordFindings(
  { domains, clock }: Pick<VerifyDomainDeps, 'domains' | 'clock'>,
  examined: Domain,
  findings: Findings,
  trigger: CheckTrigger,
): Promise<CheckedDomain> {
  const nowMs = clock()
  // Another process may have checked it in the meantime.
  const domain = (await domains.findById(examined.id)) ?? examined
  const { outcome, errors, dnsRecords, report } = findings
  const spfTree = report?.spfTree
  const spf = spfTree && toStoredSpf(spfTree, nowMs)
  const check = { outcome, trigger, nowMs }
  const after = nextState(domain, check)
  const nextKey = findKeyInState(domain, 'next')
  const isKeyAwaited = nextKey !== undefined && findKeyRecord({ ...domain, dnsRecords }, nextKey)?.status !== 'valid'
  const recheck = planRecheck({ ...check, domainId: domain.id, before: domain, after, isKeyAwaited })
  const { isActive: _, ...flags } = after
  await domains.saveVerification(domain.id, {
    ...flags,
    dnsRecords,
    lastVerificationErrors: errors,
    lastVerificationCheckedAtMs: nowMs,
    ...(recheck && { recheck }),
    ...(spf && { spf: isStorable(spf) ? spf : null }),
    ...(report && { result: toCheckResult(judgeReport(report), dnsRecords) }),
  })
  return { domain, trigger, findings, before: domain, after }
}
