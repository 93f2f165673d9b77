/** Converts a domain to its form in /v1. Lists the fields explicitly, so that private keys and any future field stay internal. */
import { relativeName } from '../../../domains/checks/judging/plain-words.ts'
import type { DnsRecordPurpose, Domain, RequiredDnsRecord } from '../../../domains/domain.ts'
import { organizationalDomain } from '../../../domains/domain-name.ts'
import { standingOf } from '../../../domains/domain-standing.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { type DomainDetail, type DomainSummary, type PublishedRecord, toDomainError } from './domains.wire.ts'

export function toDomainSummary(domain: Domain): DomainSummary {
  const { id, name, description, lastVerificationCheckedAtMs: checkedAtMs, recheck } = domain
  return {
    id,
    name,
    description,
    active: domain.isActive,
    verified: domain.isVerified,
    dkimVerified: isRight(domain, 'DKIM'),
    spfVerified: isRight(domain, 'SPF'),
    lastCheckAt: checkedAtMs === undefined ? null : toIsoTime(checkedAtMs),
    nextCheckAt: recheck && domain.isActive ? toIsoTime(recheck.atMs) : null,
    status: standingOf(domain),
    createdAt: toIsoTime(domain.createdAtMs),
    updatedAt: toIsoTime(domain.updatedAtMs),
  }
}

export function toDomainDetail(domain: Domain): DomainDetail {
  const { sendingEmail, dnsRecords, lastVerificationErrors } = domain
  return {
    ...toDomainSummary(domain),
    sendingEmail,
    records: dnsRecords.map((record) => {
      // Errors are stored without their record; the required value identifies it.
      const problem = lastVerificationErrors.find(({ required }) => required.includes(record.value))
      return toPublishedRecord(record, organizationalDomain(record.name), problem)
    }),
    errors: lastVerificationErrors.map(toDomainError),
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

function isRight({ dnsRecords }: Domain, purpose: DnsRecordPurpose): boolean {
  const needed = dnsRecords.filter((record) => record.purpose === purpose && record.required)
  return needed.length > 0 && needed.every(({ status }) => status === 'valid')
}
