/** Selects the SPF policy of a domain from its TXT records (RFC 7208 4.4 and 4.5). */

import { isSpfRecord, readSpfRecord, type SpfRecord } from '../syntax/spf-record.ts'
import type { SpfDnsAnswer, SpfDnsFailure } from './spf-dns.ts'
import { RECORD_LENGTH_MAX } from './spf-limits.ts'

export type SpfPolicy =
  /** Exactly one record, which may have syntax errors. */
  | { readonly kind: 'record'; readonly record: SpfRecord }
  | { readonly kind: 'no_such_name' }
  /** The name exists; `values` are its TXT records, none of which is an SPF record. */
  | { readonly kind: 'no_record'; readonly values: readonly string[] }
  | { readonly kind: 'several_records'; readonly records: readonly SpfRecord[] }
  | { readonly kind: 'alias_loop'; readonly reason: string }
  | SpfDnsFailure
  /** The record, or the policy with all that it includes, is longer than a check reads. */
  | { readonly kind: 'too_large' }

/** `answer`: the answer to the TXT query. */
export function selectPolicy(answer: SpfDnsAnswer): SpfPolicy {
  if (answer.kind === 'no_such_type') return { kind: 'no_record', values: [] }
  if (answer.kind !== 'records') return answer
  const texts = answer.values.filter(isSpfRecord)
  if (texts.some(({ length }) => length > RECORD_LENGTH_MAX)) return { kind: 'too_large' }
  const records = texts.map(readSpfRecord)
  const [record] = records
  if (record === undefined) return { kind: 'no_record', values: answer.values }
  return records.length === 1 ? { kind: 'record', record } : { kind: 'several_records', records }
}
