/** One term of an SPF record (RFC 7208 section 12): a mechanism with its qualifier, or a modifier. */
import type { IpNetwork } from '../../ip-address.ts'
import { type MacroString, usesLetter } from './macro-string.ts'

export type SpfQualifier = '+' | '-' | '~' | '?'

interface Written {
  /** As published. */
  readonly text: string
  /** Offset in characters from the beginning of the record. */
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

/** Without a domain-spec, the domain itself is the target; the same applies to `ptr`. */
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

/** RFC 7208 6: ignored, even if repeated. */
export interface SpfUnknownModifier extends Written {
  readonly kind: 'unknown_modifier'
  readonly name: string
}

export type SpfModifier = SpfRedirect | SpfExplanation | SpfUnknownModifier

export type SpfTerm = SpfMechanism | SpfModifier

/** RFC 7208 4.6.4: the terms that query DNS during evaluation; at most ten are allowed. */
export type SpfAskingTerm = SpfInclude | SpfExists | SpfAddressMechanism | SpfPtr | SpfRedirect

const ASKING: readonly SpfTerm['kind'][] = ['include', 'exists', 'a', 'mx', 'ptr', 'redirect']

export function isAsking(term: SpfTerm): term is SpfAskingTerm {
  return ASKING.includes(term.kind)
}

/** The number of lookups of a term. RFC 7208 4.6.4: the PTR lookup for %{p} counts as well. */
export function lookupsOf(term: SpfTerm): number {
  if (!isAsking(term)) return 0
  return usesLetter(term.domainSpec ?? [], 'p') ? 2 : 1
}

export function isRedirect(term: SpfTerm): term is SpfRedirect {
  return term.kind === 'redirect'
}

/** RFC 7208 4.6.3: a redirect is evaluated after all mechanisms, wherever it is in the record. */
export function inOrderOfEvaluation<T>(items: readonly T[], termOf: (item: T) => SpfTerm): readonly T[] {
  return items.toSorted((one, other) => Number(isRedirect(termOf(one))) - Number(isRedirect(termOf(other))))
}

export function isMechanism(term: SpfTerm): term is SpfMechanism {
  return 'qualifier' in term
}
