/** A mechanism that must take effect in a domain's policy, because mail depends on it. */
import { type AddressRange, intersectRanges, rangeOf } from './address-range.ts'
import type { IpNetwork } from './ip-address.ts'
import { parseTerm } from './parse-term.ts'
import type { SpfTerm } from './spf-term.ts'
import { readStaticTarget } from './static-target.ts'
import { toDomainName } from './target-name.ts'

/** Networks are written as in a record: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. */
export type SpfRequirement = { readonly include: string } | { readonly ip4: string } | { readonly ip6: string }

/**
 * Whose mail it is about. The senders of a network are its addresses. Which addresses an include will hold nobody can
 * say, so its senders are one stand-in, which that include matches, a redirect to the same name, `all`, and nothing else.
 */
export type RequiredSenders =
  | { readonly kind: 'include'; readonly name: string; readonly ranges: readonly AddressRange[] }
  | { readonly kind: 'network'; readonly network: IpNetwork; readonly ranges: readonly AddressRange[] }

const STAND_IN: AddressRange = { first: 0n, last: 0n }

/** Throws SpfSyntaxError: a requirement is ours, and can be as wrong as any configuration. */
export function parseRequirement(requirement: SpfRequirement): RequiredSenders {
  const text = writeRequirement(requirement)
  const term = parseTerm(text, 0)
  if ('network' in term) return { kind: 'network', network: term.network, ranges: [rangeOf(term.network)] }
  const name = 'include' in requirement ? toDomainName(requirement.include.toLowerCase()) : undefined
  if (name === undefined) throw new TypeError(`No mechanism can be required that says ${JSON.stringify(text)}`)
  return { kind: 'include', name, ranges: [STAND_IN] }
}

/** As a term of a record. */
export function writeRequirement(requirement: SpfRequirement): string {
  if ('include' in requirement) return `include:${requirement.include}`
  return 'ip4' in requirement ? `ip4:${requirement.ip4}` : `ip6:${requirement.ip6}`
}

/** Whether the term, in the policy of `domain`, is what is required or a part of it; its qualifier is another matter. */
export function isAboutSenders(senders: RequiredSenders, term: SpfTerm, domain: string, rootDomain: string): boolean {
  if (senders.kind === 'include') {
    if (term.kind !== 'include' && term.kind !== 'redirect') return false
    const target = readStaticTarget(term, domain, rootDomain)
    return target.kind === 'name' && target.name === senders.name
  }
  return 'network' in term && listMatched(senders, [term.network]).length > 0
}

/** Those of the senders that are in the networks. */
export function listMatched(
  senders: RequiredSenders,
  networks: readonly IpNetwork[],
  ranges: readonly AddressRange[] = senders.ranges,
): readonly AddressRange[] {
  if (senders.kind === 'include') return []
  const { family } = senders.network.address
  return intersectRanges(ranges, networks.filter(({ address }) => address.family === family).map(rangeOf))
}
