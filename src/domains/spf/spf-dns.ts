/** How SPF asks DNS: the few kinds of answer that RFC 7208 tells apart. An answer of DnsResolver is one of these. */
import { toDomainName } from './target-name.ts'

export type SpfRecordType = 'TXT' | 'A' | 'AAAA' | 'MX' | 'PTR'

export type SpfDnsAnswer =
  /**
   * TXT: the strings of each record joined without a separator (section 3.3). A, AAAA: addresses. PTR: names.
   * MX: `preference exchange`. Never empty.
   */
  | { readonly kind: 'records'; readonly values: readonly string[] }
  | { readonly kind: 'no_such_name' }
  | { readonly kind: 'no_such_type' }
  /** CNAMEs that lead in a circle: a resolver answers that with an error, so for a receiver it is one. */
  | { readonly kind: 'alias_loop'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }

/** Never rejects. Who has a deadline binds it in: a question after the deadline is answered `unreachable`. */
export type SpfDns = (name: string, type: SpfRecordType) => Promise<SpfDnsAnswer>

/** Section 4.6.4: "void" is an answer without records, be it for want of the name or of the type. */
export function isVoid(answer: SpfDnsAnswer): boolean {
  return answer.kind === 'no_such_name' || answer.kind === 'no_such_type'
}

export function valuesOf(answer: SpfDnsAnswer): readonly string[] {
  return answer.kind === 'records' ? answer.values : []
}

/** The exchanges of an MX answer that can be asked for, best preference first. A null MX (RFC 7505) names none. */
export function exchangesOf(answer: SpfDnsAnswer): readonly string[] {
  return valuesOf(answer)
    .map((value) => /^\s*(\d+)\s+(.*?)\s*$/.exec(value))
    .map((match) => ({ preference: Number(match?.[1] ?? 0), exchange: match?.[2] ?? '' }))
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => toDomainName(exchange))
    .filter((exchange) => exchange !== undefined)
}

/** The same question asked again is answered from memory, so that counting and asking are two things. */
export function rememberAnswers(dns: SpfDns): SpfDns {
  const answers = new Map<string, Promise<SpfDnsAnswer>>()
  return (name, type) => {
    const key = `${type} ${name.toLowerCase()}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = dns(name, type)
    answers.set(key, answer)
    return answer
  }
}
