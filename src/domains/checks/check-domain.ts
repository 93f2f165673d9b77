/** Checks all DNS records of a domain concurrently and within a deadline. */

import { shorten } from '../../lib/text/shorten.ts'
import type { Dns } from '../dns-resolver.ts'
import type { DnsRecordPurpose } from '../domain.ts'
import { checkDkim } from './dkim/check-dkim.ts'
import { checkDmarc } from './dmarc/check-dmarc.ts'
import type { DomainReport, RecordReport } from './domain-report.ts'
import { checkMx } from './hosts/check-mx.ts'
import { checkReturnPath } from './hosts/check-return-path.ts'
import { checkTracking } from './hosts/check-tracking.ts'
import { type CheckRequest, Inquiry } from './judging/inquiry.ts'
import { unknownRecord, type Verdict } from './judging/verdict.ts'
import { checkSpf } from './spf/check-spf.ts'

export interface CheckDomainOptions {
  /** For the whole check: the report is ready by then, whatever DNS does. */
  readonly deadlineMs: number
  /** Ends the check early: open queries count as unanswered. */
  readonly signal?: AbortSignal
}

const CHECKS: Readonly<Record<DnsRecordPurpose, (inquiry: Inquiry) => Promise<Verdict>>> = {
  DKIM: checkDkim,
  SPF: checkSpf,
  DMARC: checkDmarc,
  RETURN_PATH: checkReturnPath,
  TRACKING: checkTracking,
  MX: checkMx,
}

/** Limits on the published text of strangers that is stored and shown. */
const VALUES_SHOWN_MAX = 20
const VALUE_LENGTH_MAX = 4096
const WARNINGS_MAX = 20

/** Queries end this long before the deadline, so that there is time to judge the answers. */
const JUDGING_MS = 250

/** Never rejects because of DNS. */
export async function checkDomain(
  request: CheckRequest,
  dns: Dns,
  { deadlineMs, signal }: CheckDomainOptions,
): Promise<DomainReport> {
  const abort = new AbortController()
  const late = Promise.withResolvers<'late'>()
  const judgingMs = Math.min(JUDGING_MS, deadlineMs / 2)
  let waiting: NodeJS.Timeout | undefined
  const stopAsking = () => {
    abort.abort()
    waiting ??= setTimeout(() => late.resolve('late'), judgingMs)
  }
  const asking = setTimeout(stopAsking, deadlineMs - judgingMs)
  signal?.addEventListener('abort', stopAsking, { once: true })
  if (signal?.aborted) stopAsking()
  try {
    const session = dns.session()
    const checked = await Promise.all(
      request.records.map(async (record) => {
        const inquiry = new Inquiry(record, request, session, abort.signal)
        const found = await Promise.race([CHECKS[record.purpose](inquiry), late.promise])
        return { inquiry, verdict: found === 'late' ? unknownRecord(record, 'the check ran out of time') : found }
      }),
    )
    const spfTree = checked.find(({ verdict }) => verdict.spfTree)?.verdict.spfTree
    return { domainName: request.domainName, records: checked.map(toReport), ...(spfTree && { spfTree }) }
  } finally {
    signal?.removeEventListener('abort', stopAsking)
    // Nobody waits for the queries that are still open.
    abort.abort()
    clearTimeout(asking)
    clearTimeout(waiting)
  }
}

function toReport({ inquiry, verdict }: { readonly inquiry: Inquiry; readonly verdict: Verdict }): RecordReport {
  const { record, evidence } = inquiry
  const { status, actual, problem, warnings, cautions = [] } = verdict
  const shown = actual.slice(0, VALUES_SHOWN_MAX).map((value) => shorten(value, VALUE_LENGTH_MAX))
  const report = {
    record: { ...record, status, actual: shown },
    warnings: warnings.slice(0, WARNINGS_MAX),
    cautions,
    evidence,
  }
  if (!problem) return report
  const error = {
    type: problem.type ?? (status === 'unknown' ? 'SYSTEM' : record.type),
    error: problem.text,
    required: problem.required ?? [record.value],
    actual: shown,
  } as const
  return { ...report, diagnosis: problem.diagnosis, error }
}
