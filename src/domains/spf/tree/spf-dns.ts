/** DNS as SPF sees it: the kinds of answer that RFC 7208 distinguishes. A DnsAnswer is one of these. */
import type { DnsFailure } from '../../dns-resolver.ts'
import { toDomainName } from '../syntax/target-name.ts'

export type SpfRecordType = 'TXT' | 'A' | 'AAAA' | 'MX'

/** `failure`: as in DnsAnswer. */
export interface SpfDnsFailure {
  readonly kind: 'unreachable'
  readonly reason: string
  readonly failure?: DnsFailure
}

export type SpfDnsAnswer =
  /**
   * TXT: the strings of each record joined without a separator (RFC 7208 3.3). A, AAAA: addresses. MX: `preference exchange`.
   * Never empty.
   */
  | { readonly kind: 'records'; readonly values: readonly string[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'no_such_type' }
  /** A CNAME loop. Resolvers report an error, so it is an error for receivers too. */
  | { readonly kind: 'alias_loop'; readonly reason: string }
  | SpfDnsFailure

/** Never rejects. After the deadline of the caller, queries return `unreachable`. */
export type SpfDns = (name: string, type: SpfRecordType) => Promise<SpfDnsAnswer>

/** RFC 7208 4.6.4: an answer without records is void, whether the name or only the type is missing. */
export function isVoid(answer: SpfDnsAnswer): boolean {
  return answer.kind === 'no_such_name' || answer.kind === 'no_such_type'
}

export function valuesOf(answer: SpfDnsAnswer): readonly string[] {
  return answer.kind === 'records' ? answer.values : []
}

/** The valid exchanges of an MX answer, most preferred first. A null MX (RFC 7505) has none. */
export function exchangesOf(answer: SpfDnsAnswer): readonly string[] {
  return valuesOf(answer)
    .map((value) => /^(\d+)\s+(.*)$/.exec(value))
    .map((match) => ({ preference: Number(match?.[1] ?? 0), exchange: match?.[2] ?? '' }))
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => toDomainName(exchange))
    .filter((exchange) => exchange !== undefined)
}
