/** Asks DNS for the required records of a domain, all at once and within a deadline, and judges the answers. */
import { checkDkim } from './dkim-check.ts'
import type { TxtAnswer, TxtResolver } from './dns-resolver.ts'
import type { DnsRecordPurpose, RequiredDnsRecord } from './domain.ts'
import type { RecordOutcome } from './record-outcome.ts'
import { checkSpf } from './spf-check.ts'

type RecordCheck = (record: RequiredDnsRecord, answer: TxtAnswer) => RecordOutcome

/** Purposes without a check are shown to the customer and left alone. */
const CHECKS: Partial<Record<DnsRecordPurpose, RecordCheck>> = { DKIM: checkDkim, SPF: checkSpf }

export interface CheckedRecord {
  /** With the status and values that were found. */
  readonly record: RequiredDnsRecord
  /** Absent for a record that is not checked. */
  readonly outcome?: RecordOutcome
}

/** Resolves within the deadline even if the resolver never does: what was not answered by then counts as unreachable. */
export async function checkRecords(
  records: readonly RequiredDnsRecord[],
  resolver: TxtResolver,
  deadlineMs: number,
): Promise<readonly CheckedRecord[]> {
  const abort = new AbortController()
  const late = Promise.withResolvers<TxtAnswer>()
  const timer = setTimeout(() => {
    late.resolve({ kind: 'unreachable', reason: `no answer within ${deadlineMs / 1000} s` })
    abort.abort()
  }, deadlineMs)
  try {
    return await Promise.all(
      records.map(async (record) => {
        const check = CHECKS[record.purpose]
        if (!check) return { record }
        const answer = await Promise.race([resolver.resolveTxt(record.name, abort.signal), late.promise])
        const outcome = check(record, answer)
        return { record: { ...record, status: outcome.status, actual: outcome.actual }, outcome }
      }),
    )
  } finally {
    clearTimeout(timer)
  }
}
