/** What check_host() is asked and what it says (RFC 7208 sections 2.6, 4.1 and 4.2). */
import type { IpAddress } from './ip-address.ts'
import type { SpfSyntaxProblem } from './spf-syntax-error.ts'
import type { SpfMechanism } from './spf-term.ts'

/** Section 4.6.4: terms that ask DNS, in one evaluation. */
export const LOOKUPS_MAX = 10
/** Section 4.6.4: terms among them that are answered without records. */
export const VOID_LOOKUPS_MAX = 2
/** Section 4.6.4: exchanges of one `mx`, names of one `ptr` or `%{p}`. */
export const NAMES_MAX = 10

export interface SpfQuestion {
  readonly ip: IpAddress
  /** In ASCII form (A-labels, section 4.3). */
  readonly domain: string
  /** Section 2.4: for an empty MAIL FROM it is postmaster at the HELO name. */
  readonly sender: string
  readonly helo: string
  /** Who checks, for the macro r. */
  readonly receiver?: string
  /** When, for the macro t. */
  readonly timeMs: number
}

export type SpfResult = 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror'

/** Why there is a temperror or permerror. `domain` is the one whose policy was being evaluated. */
export type SpfEvaluationProblem =
  | { readonly kind: 'syntax'; readonly domain: string; readonly problems: readonly SpfSyntaxProblem[] }
  | { readonly kind: 'several_records'; readonly domain: string }
  /** The target of an `include` or a `redirect` has no policy. */
  | { readonly kind: 'no_policy'; readonly domain: string; readonly term: string }
  | { readonly kind: 'malformed_target'; readonly domain: string; readonly term: string }
  | { readonly kind: 'too_many_lookups'; readonly domain: string; readonly term: string }
  | { readonly kind: 'too_many_void_lookups'; readonly domain: string; readonly term: string }
  | { readonly kind: 'too_many_exchanges'; readonly domain: string; readonly term: string }
  | { readonly kind: 'dns'; readonly name: string; readonly reason: string }

export interface SpfVerdict {
  readonly result: SpfResult
  /** With `fail`, where the domain has words for it (section 6.2). Written by a stranger. */
  readonly explanation?: string
  /** The term that decided, and whose policy it stands in; absent where none matched. */
  readonly decidedBy?: { readonly domain: string; readonly term: SpfMechanism }
  /** With `temperror` and `permerror`. */
  readonly problem?: SpfEvaluationProblem
  readonly lookups: number
  readonly voidLookups: number
}
