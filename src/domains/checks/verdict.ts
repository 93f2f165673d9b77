/** What a check concludes about one record. */
import type { RequiredDnsRecord, VerificationErrorType } from '../domain.ts'
import type { DiagnosisCode } from './diagnosis.ts'

export interface Problem {
  readonly diagnosis: DiagnosisCode
  /** What is wrong, what to change, and where. */
  readonly text: string
  /** What to publish, where something fits better than the record's own value. */
  readonly required?: readonly string[]
  /** Where it is neither the record nor the asking that is at fault. */
  readonly type?: VerificationErrorType
}

export interface Verdict {
  readonly status: 'valid' | 'invalid' | 'unknown'
  readonly actual: readonly string[]
  /** Absent exactly when the record is right. */
  readonly problem?: Problem
  /** Sentences. */
  readonly warnings: readonly string[]
}

/** The verdict on one answer. Several servers can give several answers. */
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

/** `reason` continues a sentence. */
export function unknownRecord(record: RequiredDnsRecord, reason: string): Verdict {
  const text =
    `DNS could not be asked for the ${record.purpose} record at ${record.name}: ${reason}. ` +
    'Try again in a few minutes.'
  return { status: 'unknown', actual: [], problem: { diagnosis: 'no_answer', text }, warnings: [] }
}

export function withWarnings(verdict: Verdict, warnings: readonly string[]): Verdict {
  return warnings.length === 0 ? verdict : { ...verdict, warnings: [...verdict.warnings, ...warnings] }
}
