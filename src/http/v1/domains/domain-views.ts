/** Converts a domain to its form in /v1. Lists the fields explicitly, so that private keys and any future field stay internal. */
import { isDeepStrictEqual } from 'node:util'
import { relativeName } from '../../../domains/checks/judging/plain-words.ts'
import type { StoredSpf } from '../../../domains/checks/report-json.ts'
import type { DnsRecordPurpose, Domain, RequiredDnsRecord, VerificationError } from '../../../domains/domain.ts'
import { organizationalDomain } from '../../../domains/domain-name.ts'
import { standingOf } from '../../../domains/domain-standing.ts'
import type { DomainStore } from '../../../domains/domain-store.ts'
import { isProven } from '../../../domains/registration/unproven-domain.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../../../domains/spf/tree/spf-limits.ts'
import type { PastChecks as StoredChecks } from '../../../domains/verification/check-history.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import {
  type DomainDetail,
  type DomainSummary,
  type PastChecks,
  type PublishedRecord,
  toDomainError,
} from './domains.wire.ts'
import type { SpfTreeReport } from './spf-tree.wire.ts'

export function toDomainSummary(domain: Domain): DomainSummary {
  const { id, name, description, lastVerificationCheckedAtMs: checkedAtMs, recheck } = domain
  return {
    id,
    name,
    description,
    active: domain.isActive,
    proven: isProven(domain),
    verified: domain.isVerified,
    dkimVerified: isRight(domain, 'DKIM'),
    spfVerified: isRight(domain, 'SPF'),
    dmarcVerified: isRight(domain, 'DMARC', 'recommended'),
    lastCheckAt: checkedAtMs === undefined ? null : toIsoTime(checkedAtMs),
    nextCheckAt: recheck && domain.isActive ? toIsoTime(recheck.atMs) : null,
    status: standingOf(domain),
    createdAt: toIsoTime(domain.createdAtMs),
    updatedAt: toIsoTime(domain.updatedAtMs),
  }
}

/** What is stored beside a domain, for a page that shows it alone. */
export interface KeptFindings {
  readonly spf?: StoredSpf | undefined
  readonly checks?: readonly StoredChecks[]
}

export async function readFindings(
  domains: Pick<DomainStore, 'findSpf' | 'findChecks'>,
  id: string,
): Promise<KeptFindings> {
  const [spf, checks] = await Promise.all([domains.findSpf(id), domains.findChecks(id)])
  return { spf, checks }
}

export function toDomainDetail(domain: Domain, { spf, checks }: KeptFindings = {}): DomainDetail {
  const { sendingEmail, dnsRecords, lastVerificationErrors } = domain
  return {
    ...toDomainSummary(domain),
    sendingEmail,
    records: dnsRecords.map((record) => {
      return toPublishedRecord(record, organizationalDomain(record.name), findProblem(record, lastVerificationErrors))
    }),
    errors: lastVerificationErrors.map(toDomainError),
    ...(spf && { spf: toSpfTreeReport(spf) }),
    ...(checks && { history: checks.map(toPastChecks) }),
  }
}

function toPastChecks({ outcome, wrong, firstAtMs, lastAtMs, checks }: StoredChecks): PastChecks {
  return { outcome, wrong: [...wrong], firstAt: toIsoTime(firstAtMs), lastAt: toIsoTime(lastAtMs), checks }
}

/**
 * Errors are stored without their record. The required value identifies it, or, if that has been merged with records that exist,
 * the values that were found.
 */
function findProblem(
  { type, value, status, actual }: RequiredDnsRecord,
  errors: readonly VerificationError[],
): VerificationError | undefined {
  if (status === 'valid') return undefined
  const isFound = (error: VerificationError) =>
    actual.length > 0 && error.type === type && isDeepStrictEqual(error.actual, actual)
  return errors.find(({ required }) => required.includes(value)) ?? errors.find(isFound)
}

export function toSpfTreeReport({ checkedAtMs, voidLookups, ...spf }: StoredSpf): SpfTreeReport {
  const { lookups, isComplete, policy, lines } = spf
  return {
    lookups,
    lookupsMax: LOOKUPS_MAX,
    voidLookups: { ip4: voidLookups.ip4, ip6: voidLookups.ip6 },
    voidLookupsMax: VOID_LOOKUPS_MAX,
    isComplete,
    policy,
    lines: [...lines],
    checkedAt: toIsoTime(checkedAtMs),
  }
}

/** `zone`: where the record is entered. */
export function toPublishedRecord(
  record: RequiredDnsRecord,
  zone: string,
  problem?: { readonly error: string; readonly required: readonly string[] },
): PublishedRecord {
  const { purpose, type, name, value, required, status, actual } = record
  return {
    purpose,
    type,
    name,
    host: relativeName(name, zone),
    zone,
    value,
    required,
    status,
    wanted: problem && problem.required.length > 0 ? problem.required : [value],
    found: actual,
    ...(problem && { error: problem.error }),
  }
}

/** `recommended`: records that are not required count as well. */
function isRight({ dnsRecords }: Domain, purpose: DnsRecordPurpose, which?: 'recommended'): boolean {
  const needed = dnsRecords.filter((record) => record.purpose === purpose && (record.required || which !== undefined))
  return needed.length > 0 && needed.every(({ status }) => status === 'valid')
}
