/** The findings of a check, for the API, the log and the command line. */
import type { DnsEvidence } from '../dns-resolver.ts'
import type { RequiredDnsRecord, VerificationError } from '../domain.ts'
import type { SpfTree } from '../spf/tree/spf-tree.ts'
import type { DiagnosisCode } from './judging/diagnosis.ts'
import type { Caution } from './judging/verdict.ts'

export interface DomainReport {
  readonly domainName: string
  /** In the order of the request. */
  readonly records: readonly RecordReport[]
  /** The evaluated SPF policy; absent if no SPF record was checked or the DNS query failed. */
  readonly spfTree?: SpfTree
}

export interface RecordReport {
  /** With the status and the values found in DNS. */
  readonly record: RequiredDnsRecord
  /** The code of the mistake; present exactly if `error` is. */
  readonly diagnosis?: DiagnosisCode
  /** Absent exactly if the record is correct. Optional records have errors too, but do not block verification. */
  readonly error?: VerificationError
  /** Sentences about what works today but should be looked at. */
  readonly warnings: readonly string[]
  /** Of a correct record: the warnings that have a diagnosis. */
  readonly cautions: readonly Caution[]
  /** All queries for this record, beginning with the one for the record itself. */
  readonly evidence: readonly DnsEvidence[]
}

export const REPORT_OUTCOMES = ['all_right', 'record_wrong', 'dns_unreachable'] as const
export type ReportOutcome = (typeof REPORT_OUTCOMES)[number]

/** Based on required records only. A wrong record decides, even if other queries failed. */
export function judgeReport({ records }: DomainReport): ReportOutcome {
  const failed = records.filter(({ record, error }) => record.required && error)
  if (failed.length === 0) return 'all_right'
  return failed.some(({ record }) => record.status === 'invalid') ? 'record_wrong' : 'dns_unreachable'
}

/** The errors of required records, which make the verification fail. */
export function listBlockingErrors({ records }: DomainReport): readonly VerificationError[] {
  return records.flatMap(({ record, error }) => (record.required && error ? [error] : []))
}

/** Mistakes of required records that work today only because our part of them is evaluated first. */
export function listCautions({ records }: DomainReport): readonly VerificationError[] {
  return records
    .filter(({ record }) => record.required)
    .flatMap(({ record: { type, actual }, cautions }) =>
      cautions.map(({ text }) => ({ type, error: text, required: [], actual })),
    )
}

/** The records with their findings, to be stored with the domain. */
export function listCheckedRecords({ records }: DomainReport): readonly RequiredDnsRecord[] {
  return records.map(({ record }) => record)
}
