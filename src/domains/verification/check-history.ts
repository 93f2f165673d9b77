/** What the checks of a domain found, newest first. Checks in a row with the same result are one entry, so that it stays short. */
import type { ReportOutcome } from '../checks/domain-report.ts'
import type { DnsRecordPurpose, RequiredDnsRecord } from '../domain.ts'

export interface CheckResult {
  readonly outcome: ReportOutcome
  /** Records that were missing or wrong, including those that are only recommended. */
  readonly wrong: readonly DnsRecordPurpose[]
}

export interface PastChecks extends CheckResult {
  readonly firstAtMs: number
  readonly lastAtMs: number
  /** Number of checks with this result. */
  readonly checks: number
}

/** Changes, not checks: enough for years of a domain that works, and for the hours in which one is set up. */
export const HISTORY_MAX = 30

export function toCheckResult(outcome: ReportOutcome, records: readonly RequiredDnsRecord[]): CheckResult {
  const wrong = records.filter(({ status }) => status === 'invalid').map(({ purpose }) => purpose)
  return { outcome, wrong: [...new Set(wrong)] }
}

export function addCheck(history: readonly PastChecks[], result: CheckResult, atMs: number): readonly PastChecks[] {
  const [latest, ...older] = history
  if (latest && isSame(latest, result)) return [{ ...latest, lastAtMs: atMs, checks: latest.checks + 1 }, ...older]
  return [{ ...result, firstAtMs: atMs, lastAtMs: atMs, checks: 1 }, ...history].slice(0, HISTORY_MAX)
}

function isSame(a: CheckResult, b: CheckResult): boolean {
  return a.outcome === b.outcome && a.wrong.join() === b.wrong.join()
}
