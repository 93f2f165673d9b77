/** What a check concludes about one record. */
import type { RequiredDnsRecord, VerificationErrorType } from '../../domain.ts'
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

export interface Verdict {
  readonly status: 'valid' | 'invalid' | 'unknown'
  readonly actual: readonly string[]
  /** Absent exactly if the record is correct. */
  readonly problem?: Problem
  /** Sentences. */
  readonly warnings: readonly string[]
}

/** Judges one answer; several servers can give different answers. */
export type Judge<Answer> = (answer: Answer) => Verdict | Promise<Verdict>

export function rightRecord(actual: readonly string[], warnings: readonly string[] = []): Verdict {
  return { status: 'valid', actual, warnings }
}

export function wrongRecord(
  actual: readonly string[],
  diagnosis: DiagnosisCode,
  text: string,
  required?: readonly string[],
): Verdict {
  const problem = { diagnosis, text, ...(required && { required }) }
  return { status: 'invalid', actual, problem, warnings: [] }
}

/** `reason` is the continuation of a sentence. */
export function unknownRecord(record: RequiredDnsRecord, reason: string): Verdict {
  const text =
    `The DNS query for the ${record.purpose} record at ${record.name} failed: ${reason}. ` +
    'Try again in a few minutes.'
  return { status: 'unknown', actual: [], problem: { diagnosis: 'no_answer', text }, warnings: [] }
}

export function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  return warnings.length === 0 ? verdict : { ...verdict, warnings: [...verdict.warnings, ...warnings] }
}
