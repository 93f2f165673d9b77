/** A mechanism that must take effect in the policy of a domain. */

import type { IpNetwork } from '../../ip-address.ts'
import { parseTerm } from '../syntax/parse-term.ts'
import type { SpfTerm } from '../syntax/spf-term.ts'
import { toDomainName } from '../syntax/target-name.ts'
import { readStaticTarget } from '../tree/static-target.ts'
import { type AddressRange, intersectRanges, rangeOf } from './address-range.ts'

/** Networks as in a record: `192.0.2.1`, `192.0.2.0/24`, `2001:db8::/32`. */
export type SpfRequirement = { readonly include: string } | { readonly ip4: string } | { readonly ip6: string }

/**
 * The senders that the requirement covers. For a network, these are its addresses. The addresses of an include can change
 * at any time, so a single stand-in represents them; only that include, a redirect to the same name and `all` match it.
 */
export type RequiredSenders =
  | { readonly kind: 'include'; readonly name: string; readonly ranges: readonly AddressRange[] }
  | { readonly kind: 'network'; readonly network: IpNetwork; readonly ranges: readonly AddressRange[] }

const STAND_IN: AddressRange = { first: 0n, last: 0n }

/** Throws SpfSyntaxError: a requirement comes from our configuration, which can be wrong. */
export function parseRequirement(requirement: SpfRequirement): RequiredSenders {
  const text = writeRequirement(requirement)
  const term = parseTerm(text, 0)
  if ('network' in term) return { kind: 'network', network: term.network, ranges: [rangeOf(term.network)] }
  const name = 'include' in requirement ? toDomainName(requirement.include.toLowerCase()) : undefined
  if (name === undefined) throw new TypeError(`${JSON.stringify(text)} cannot be a required mechanism`)
  return { kind: 'include', name, ranges: [STAND_IN] }
}

/** As a term of a record. */
export function writeRequirement(requirement: SpfRequirement): string {
  if ('include' in requirement) return `include:${requirement.include}`
  return 'ip4' in requirement ? `ip4:${requirement.ip4}` : `ip6:${requirement.ip6}`
}

/** Whether the term, in the policy of `domain`, is the requirement or covers part of it, regardless of its qualifier. */
export function isAboutSenders(senders: RequiredSenders, term: SpfTerm, domain: string, rootDomain: string): boolean {
  if (senders.kind === 'include') {
    if (term.kind !== 'include' && term.kind !== 'redirect') return false
    const target = readStaticTarget(term, domain, rootDomain)
    return target.kind === 'name' && target.name === senders.name
  }
  return 'network' in term && listMatched(senders, [term.network]).length > 0
}

/** The senders that are in the networks. */
export function listMatched(
  senders: RequiredSenders,
  networks: readonly IpNetwork[],
  ranges: readonly AddressRange[] = senders.ranges,
): readonly AddressRange[] {
  if (senders.kind === 'include') return []
  const { family } = senders.network.address
  return intersectRanges(ranges, networks.filter(({ address }) => address.family === family).map(rangeOf))
}
