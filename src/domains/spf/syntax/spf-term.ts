/** One term of an SPF record (RFC 7208 section 12): a mechanism with its qualifier, or a modifier. */
import type { IpNetwork } from '../../ip-address.ts'
import type { MacroString } from './macro-string.ts'

export type SpfQualifier = '+' | '-' | '~' | '?'

interface Written<Kind extends string> {
  readonly kind: Kind
  /** As published. */
  readonly text: string
  /** Offset in characters from the beginning of the record. */
  readonly at: number
}

interface Mechanism<Kind extends string> extends Written<Kind> {
  readonly qualifier: SpfQualifier
}

interface Aimed {
  readonly domainSpec: MacroString
}

/** Without a domain-spec, the domain itself is the target. */
export type SpfAddressMechanism = Mechanism<'a' | 'mx'> &
  Partial<Aimed> & { readonly prefixLength4: number; readonly prefixLength6: number }

export type SpfRedirect = Written<'redirect'> & Aimed

/** RFC 7208 4.6.4: the terms that query DNS during evaluation; at most ten are allowed. */
export type SpfAskingTerm =
  | (Mechanism<'include' | 'exists'> & Aimed)
  | SpfAddressMechanism
  | (Mechanism<'ptr'> & Partial<Aimed>)
  | SpfRedirect

export type SpfMechanism =
  | Exclude<SpfAskingTerm, SpfRedirect>
  | Mechanism<'all'>
  | (Mechanism<'ip4' | 'ip6'> & { readonly network: IpNetwork })

export type SpfModifier =
  | SpfRedirect
  | (Written<'exp'> & Aimed)
  /** RFC 7208 6: ignored, even if repeated. */
  | (Written<'unknown_modifier'> & { readonly name: string })

export type SpfTerm = SpfMechanism | SpfModifier

const ASKING: readonly SpfTerm['kind'][] = ['include', 'exists', 'a', 'mx', 'ptr', 'redirect']

export function isAsking(term: SpfTerm): term is SpfAskingTerm {
  return ASKING.includes(term.kind)
}

/** The number of lookups of a term. RFC 7208 4.6.4: the PTR lookup for %{p} counts as well. */
export function lookupsOf(term: SpfTerm): number {
  if (!isAsking(term)) return 0
  return term.domainSpec?.some((part) => part.kind === 'macro' && part.letter === 'p') ? 2 : 1
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
