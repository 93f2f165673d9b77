/** Converts the report of a check to its form in /v1. */

import { judgeReport, type RecordReport } from '../../../domains/checks/domain-report.ts'
import { DIAGNOSES } from '../../../domains/checks/judging/diagnosis.ts'
import { toStoredSpf } from '../../../domains/checks/report-json.ts'
import type { DnsEvidence } from '../../../domains/dns-resolver.ts'
import type { Domain } from '../../../domains/domain.ts'
import { organizationalDomain } from '../../../domains/domain-name.ts'
import type { VerifyDomainResult } from '../../../domains/verification/verify-domain.ts'
import { type KeptFindings, toDomainDetail, toPublishedRecord, toSpfTreeReport } from './domain-views.ts'
import { toDomainError } from './domains.wire.ts'
import type { CheckedRecord, DomainCheck } from './verify-domain.wire.ts'

export function toDomainCheck(
  { isVerified, errors, report }: VerifyDomainResult,
  domain: Domain,
  stored: KeptFindings,
): DomainCheck {
  const { lastVerificationCheckedAtMs: checkedAtMs = domain.updatedAtMs } = domain
  return {
    isVerified,
    outcome: report ? judgeReport(report) : 'not_checked',
    errors: errors.map(toDomainError),
    records: report?.records.map(toCheckedRecord) ?? [],
    ...(report?.spfTree && { spf: toSpfTreeReport(toStoredSpf(report.spfTree, checkedAtMs)) }),
    domain: toDomainDetail(domain, stored),
  }
}

function toCheckedRecord({ record, diagnosis, error, evidence, ...report }: RecordReport): CheckedRecord {
  const { warnings, cautions } = report
  const [asked] = evidence
  const zone = asked?.steps[0]?.zone ?? organizationalDomain(record.name)
  return {
    ...toPublishedRecord(record, zone, error),
    ...(diagnosis && { diagnosis, meaning: DIAGNOSES[diagnosis] }),
    warnings,
    cautions: cautions.map(({ diagnosis: code, text }) => ({ diagnosis: code, meaning: DIAGNOSES[code], text })),
    asked: asked ? listAsked(asked) : [],
  }
}

function listAsked({ steps, resolvers }: DnsEvidence): CheckedRecord['asked'] {
  const servers = steps.flatMap((step) => step.servers)
  return [
    ...servers.map(({ server, statement }) => ({ server, kind: 'authoritative' as const, answer: statement.kind })),
    ...resolvers.map(({ address, answer, isStale }) => ({
      server: address,
      kind: 'resolver' as const,
      answer: isStale ? ('stale' as const) : answer.kind,
    })),
  ]
}
