/** The value to publish for a record, given what exists. */
import type { PublishedRecord } from '../../../../src/http/v1/domains/domains.wire.ts'

/** With other senders in the SPF record, theirs and ours. The bare value would lock the others out. */
export function publishedValue({ value, status, wanted }: PublishedRecord): string {
  return status === 'valid' ? value : (wanted[0] ?? value)
}
