/** What a check of a domain's DNS records found, for the wire, for the log and for people. */
import type { DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord, VerificationError } from '../domain.ts'
import type { SpfTree } from '../spf/spf-tree.ts'
import type { DiagnosisCode } from './diagnosis.ts'

export interface DomainReport {
  readonly domainName: string
  /** In the order in which they were given. */
  readonly records: readonly RecordReport[]
  /** What the domain's SPF policy amounts to; absent where no SPF record was to be checked or DNS could not be asked. */
  readonly spfTree?: SpfTree
}

export interface RecordReport {
  /** With the status and the values that were found. */
  readonly record: RequiredDnsRecord
  /** Which of the known mistakes it is; present exactly with `error`. */
  readonly diagnosis?: DiagnosisCode
  /** Absent exactly when the record is right. Present for optional records too, which block nothing. */
  readonly error?: VerificationError
  /** Sentences: what works today and should be looked at. */
  readonly warnings: readonly string[]
  /** Everything that was asked for this record, the question for the record itself first. */
  readonly evidence: readonly DnsEvidence[]
}

export const REPORT_OUTCOMES = ['all_right', 'record_wrong', 'dns_unreachable'] as const
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]

/** By required records alone. One that was seen to be wrong counts, whatever could not be asked beside it. */
export function judgeReport({ records }: DomainReport): ReportOutcome {
  const failed = records.filter(({ record, error }) => record.required && error)
  if (failed.length === 0) return 'all_right'
  return failed.some(({ record }) => record.status === 'invalid') ? 'record_wrong' : 'dns_unreachable'
}

/** Those of required records: what makes the verification fail. */
export function listBlockingErrors({ records }: DomainReport): readonly VerificationError[] {
  return records.flatMap(({ record, error }) => (record.required && error ? [error] : []))
}

/** With what was found, to be kept with the domain. */
export function listCheckedRecords({ records }: DomainReport): readonly RequiredDnsRecord[] {
  return records.map(({ record }) => record)
}
