/** What a look at one required record found. */
import type { TxtAnswer } from './dns-resolver.ts'
import type { RequiredDnsRecord, VerificationError } from './domain.ts'

export interface RecordOutcome {
  readonly status: 'valid' | 'invalid' | 'unknown'
  readonly actual: readonly string[]
  /** Absent exactly when the record is valid. */
  readonly error?: VerificationError
}

export function validRecord(actual: readonly string[]): RecordOutcome {
  return { status: 'valid', actual }
}

/** `required` is what to publish instead; it is the record's own value unless something better fits what is there. */
export function invalidRecord(
  record: RequiredDnsRecord,
  actual: readonly string[],
  error: string,
  required: string = record.value,
): RecordOutcome {
  return { status: 'invalid', actual, error: { type: record.type, error, required: [required], actual } }
}

/** We could not ask, which says nothing about the record. */
export function unknownRecord(record: RequiredDnsRecord, reason: string): RecordOutcome {
  const error =
    `DNS could not be asked for the ${record.purpose} record at ${record.name}: ${reason}. ` +
    'Nothing was changed; try again in a few minutes.'
  return { status: 'unknown', actual: [], error: { type: 'SYSTEM', error, required: [record.value], actual: [] } }
}

/** The part all checks share: the values at the name, or the outcome when there are none to look at. */
export function readValues(
  record: RequiredDnsRecord,
  answer: TxtAnswer,
): { readonly values: readonly string[] } | { readonly outcome: RecordOutcome } {
  switch (answer.kind) {
    case 'records':
      return { values: answer.values }
    case 'unreachable':
      return { outcome: unknownRecord(record, answer.reason) }
    case 'no_such_name':
      return {
        outcome: invalidRecord(
          record,
          [],
          `The name ${record.name} does not exist in DNS. Create a ${record.type} record there with the required value ` +
            'and check that your DNS provider did not append the domain a second time.',
        ),
      }
    case 'no_such_type':
      return {
        outcome: invalidRecord(
          record,
          [],
          `The name ${record.name} exists and has no ${record.type} record. Add one there with the required value.`,
        ),
      }
  }
}
