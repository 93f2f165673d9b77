/** One term of an SPF record (RFC 7208 section 12): a mechanism with its qualifier, or a modifier. */
import type { IpNetwork } from './ip-address.ts'
import { type MacroString, usesLetter } from './macro-string.ts'

export type SpfQualifier = '+' | '-' | '~' | '?'

interface Written {
  /** As it stands in the record. */
  readonly text: string
  /** Where it begins, in characters from the beginning of the record. */
  readonly at: number
}

interface Directive extends Written {
  readonly qualifier: SpfQualifier
}

export interface SpfAll extends Directive {
  readonly kind: 'all'
}

export interface SpfInclude extends Directive {
  readonly kind: 'include'
  readonly domainSpec: MacroString
}

export interface SpfExists extends Directive {
  readonly kind: 'exists'
  readonly domainSpec: MacroString
}

/** Without a domain-spec the domain itself is meant, here and in `ptr`. */
export interface SpfAddressMechanism extends Directive {
  readonly kind: 'a' | 'mx'
  readonly domainSpec?: MacroString
  readonly prefixLength4: number
  readonly prefixLength6: number
}

export interface SpfPtr extends Directive {
  readonly kind: 'ptr'
  readonly domainSpec?: MacroString
}

export interface SpfNetwork extends Directive {
  readonly kind: 'ip4' | 'ip6'
  readonly network: IpNetwork
}

export type SpfMechanism = SpfAll | SpfInclude | SpfExists | SpfAddressMechanism | SpfPtr | SpfNetwork

export interface SpfRedirect extends Written {
  readonly kind: 'redirect'
  readonly domainSpec: MacroString
}

export interface SpfExplanation extends Written {
  readonly kind: 'exp'
  readonly domainSpec: MacroString
}

/** Section 6: ignored wherever and however often it appears. */
export interface SpfUnknownModifier extends Written {
  readonly kind: 'unknown_modifier'
  readonly name: string
}

export type SpfModifier = SpfRedirect | SpfExplanation | SpfUnknownModifier

export type SpfTerm = SpfMechanism | SpfModifier

/** Section 4.6.4: the terms that make a receiver ask DNS while it evaluates, of which there may be ten. */
export type SpfAskingTerm = SpfInclude | SpfExists | SpfAddressMechanism | SpfPtr | SpfRedirect

const ASKING: readonly SpfTerm['kind'][] = ['include', 'exists', 'a', 'mx', 'ptr', 'redirect']

export function isAsking(term: SpfTerm): term is SpfAskingTerm {
  return ASKING.includes(term.kind)
}

/** How many lookups a term is; section 4.6.4: the PTR records that %{p} needs are one more. */
export function lookupsOf(term: SpfTerm): number {
  if (!isAsking(term)) return 0
  return usesLetter(term.domainSpec ?? [], 'p') ? 2 : 1
}

export function isRedirect(term: SpfTerm): term is SpfRedirect {
  return term.kind === 'redirect'
}

/** Section 4.6.3: a redirect counts after all mechanisms, wherever it stands. `items` hold terms. */
export function inOrderOfEvaluation<T>(items: readonly T[], termOf: (item: T) => SpfTerm): readonly T[] {
  return items.toSorted((one, other) => Number(isRedirect(termOf(one))) - Number(isRedirect(termOf(other))))
}

export function isMechanism(term: SpfTerm): term is SpfMechanism {
  return 'qualifier' in term
}
