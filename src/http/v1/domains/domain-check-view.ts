/** Converts the report of a check to its form in /v1. */

import { judgeReport, type RecordReport } from '../../../domains/checks/domain-report.ts'
import { DIAGNOSES } from '../../../domains/checks/judging/diagnosis.ts'
import { toNodeJson } from '../../../domains/checks/report-json.ts'
import type { DnsEvidence } from '../../../domains/dns-resolver.ts'
import type { Domain } from '../../../domains/domain.ts'
import { organizationalDomain } from '../../../domains/domain-name.ts'
import { formatTree } from '../../../domains/spf/tree/format-tree.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../../../domains/spf/tree/spf-limits.ts'
import type { SpfTree } from '../../../domains/spf/tree/spf-tree.ts'
import type { VerifyDomainResult } from '../../../domains/verification/verify-domain.ts'
import { toDomainDetail, toPublishedRecord } from './domain-views.ts'
import { toDomainError } from './domains.wire.ts'
import type { CheckedRecord, DomainCheck, SpfTreeReport } from './verify-domain.wire.ts'

export function toDomainCheck({ isVerified, errors, report }: VerifyDomainResult, domain: Domain): DomainCheck {
  return {
    isVerified,
    outcome: report ? judgeReport(report) : 'not_checked',
    errors: errors.map(toDomainError),
    records: report?.records.map(toCheckedRecord) ?? [],
    ...(report?.spfTree && { spf: toSpfTreeReport(report.spfTree) }),
    domain: toDomainDetail(domain),
  }
}

function toCheckedRecord({ record, diagnosis, error, warnings, evidence }: RecordReport): CheckedRecord {
  const [asked] = evidence
  const zone = asked?.steps[0]?.zone ?? organizationalDomain(record.name)
  return {
    ...toPublishedRecord(record, zone, error),
    ...(diagnosis && { diagnosis, meaning: DIAGNOSES[diagnosis] }),
    warnings,
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

function toSpfTreeReport(tree: SpfTree): SpfTreeReport {
  const { root, lookups, voidLookups, isComplete } = tree
  return {
    lookups,
    lookupsMax: LOOKUPS_MAX,
    voidLookups: { ip4: voidLookups.ip4, ip6: voidLookups.ip6 },
    voidLookupsMax: VOID_LOOKUPS_MAX,
    isComplete,
    policy: toNodeJson(root),
    lines: formatTree(tree),
  }
}
