/** Asks DNS about all records of a domain, at once and within a deadline, and judges what it says. */

import { checkDkim } from '../dkim-check.ts'
import type { Dns, DnsAnswer, DnsEvidence, TxtAnswer } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { checkSpf } from '../spf-check.ts'
import type { DiagnosisCode } from './diagnosis.ts'
import type { DomainReport, RecordReport } from './domain-report.ts'

export interface CheckDomainRequest {
  readonly domainName: string
  /** What the domain is to publish; several of one purpose are possible, such as the keys of two selectors. */
  readonly records: readonly RequiredDnsRecord[]
  /** From which its mail comes, for what DMARC says about alignment. Default: an address at the domain itself. */
  readonly sendingEmail?: string
}

export interface CheckDomainOptions {
  /** Over everything: the report is there by then, whatever DNS does. */
  readonly deadlineMs: number
  /** Ends the check early: what was not answered by then counts as not answered. */
  readonly signal?: AbortSignal
}

/** Never rejects because of DNS. */
export async function checkDomain(
  { domainName, records }: CheckDomainRequest,
  dns: Dns,
  { deadlineMs, signal }: CheckDomainOptions,
): Promise<DomainReport> {
  const session = dns.session()
  const timeout = AbortSignal.timeout(deadlineMs)
  const limit = signal ? AbortSignal.any([signal, timeout]) : timeout
  const checked = records.map(async (record) => {
    const check = record.purpose === 'DKIM' ? checkDkim : record.purpose === 'SPF' ? checkSpf : undefined
    if (!check) return { record, warnings: [], evidence: [] }
    const evidence = await session.examine(record.name, 'TXT', limit)
    return toReport(record, evidence, check(record, toTxtAnswer(evidence.answer)))
  })
  return { domainName, records: await Promise.all(checked) }
}

function toReport(
  record: RequiredDnsRecord,
  evidence: DnsEvidence,
  outcome: ReturnType<typeof checkDkim>,
): RecordReport {
  const { status, actual, error } = outcome
  const diagnosis: DiagnosisCode = status === 'unknown' ? 'no_answer' : 'wrong_value'
  const checked = { ...record, status, actual }
  return { record: checked, ...(error && { error, diagnosis }), warnings: [], evidence: [evidence] }
}

function toTxtAnswer(answer: DnsAnswer): TxtAnswer {
  return answer.kind === 'alias_loop' ? { kind: 'unreachable', reason: answer.reason } : answer
}
