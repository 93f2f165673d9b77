/** What a check concludes about one record. */
import type { RequiredDnsRecord, VerificationErrorType } from '../../domain.ts'
import type { SpfTree } from '../../spf/tree/spf-tree.ts'
import type { DiagnosisCode } from './diagnosis.ts'

export interface Problem {
  readonly diagnosis: DiagnosisCode
  /** What is wrong, what to change, and where. */
  readonly text: string
  /** What to publish, if something fits better than the record's own value. */
  readonly required?: readonly string[]
  /** Set if neither the record nor the query is at fault. */
  readonly type?: VerificationErrorType
}

/** A mistake that does not affect our mail. Its text is one of the warnings. */
export type Caution = Pick<Problem, 'diagnosis' | 'text'>

export interface Verdict {
  readonly status: 'valid' | 'invalid' | 'unknown'
  readonly actual: readonly string[]
  /** Absent exactly if the record is correct. */
  readonly problem?: Problem
  /** Sentences. */
  readonly warnings: readonly string[]
  /** The warnings that are a known mistake: the record is correct, but another part of it is not. */
  readonly cautions?: readonly Caution[]
  /** The SPF policy, of the answer that was used. */
  readonly spfTree?: SpfTree
}

export function rightRecord(actual: readonly string[], warnings: readonly string[] = []): Verdict {
  return { status: 'valid', actual, warnings }
}

export function wrongRecord(actual: readonly string[], diagnosis: DiagnosisCode, text: string): Verdict {
  return faultyRecord(actual, { diagnosis, text })
}

/** Invalid, or unknown if the record is not at fault. */
export function faultyRecord(actual: readonly string[], problem: Problem, isUnknown = false): Verdict {
  return { status: isUnknown ? 'unknown' : 'invalid', actual, problem, warnings: [] }
}

/** `reason` is the continuation of a sentence. */
export function unknownRecord(record: RequiredDnsRecord, reason: string): Verdict {
  const text =
    `The DNS query for the ${record.purpose} record at ${record.name} failed: ${reason}. ` +
    'Try again in a few minutes.'
  return faultyRecord([], { diagnosis: 'no_answer', text }, true)
}

const FEWER_QUERIES = 'Use fewer name servers for the zone, and fewer names in its records.'

/** `reason` is the continuation of a sentence. The result stays the same until the zone changes. */
export function limitedRecord(record: RequiredDnsRecord, reason: string, remedy = FEWER_QUERIES): Verdict {
  const text = `The ${record.purpose} record at ${record.name} was not checked: ${reason}. ${remedy}`
  return faultyRecord([], { diagnosis: 'check_limit', text }, true)
}

/** With a more precise problem, if one was found. */
export function withProblem(verdict: Verdict, problem: Problem | undefined): Verdict {
  return problem ? { ...verdict, problem } : verdict
}

export function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  return { ...verdict, warnings: [...verdict.warnings, ...warnings] }
}
