/** The whole policy of a domain, independent of the sender: all includes and redirects, all lookups (RFC 7208 4.6.4). */
import type { IpNetwork } from '../../ip-address.ts'
import type { SpfTerm } from '../syntax/spf-term.ts'
import type { SpfPolicy } from './policy.ts'
import type { SpfDnsFailure } from './spf-dns.ts'
import type { StaticTarget } from './static-target.ts'

export interface SpfTree {
  readonly root: SpfNode
  /** Lookups for a sender that no term matches. With more than ten, some senders get an error. */
  readonly lookups: number
  /** Lookups without records. They differ by family, because `a` queries the addresses of the sender's family. */
  readonly voidLookups: { readonly ip4: number; readonly ip6: number }
  /** False if a part is unknown: a query failed, the target depends on the message, or the tree is too large. */
  readonly isComplete: boolean
}

/** One domain's policy. */
export interface SpfNode {
  readonly domain: string
  readonly policy: SpfNodePolicy
  /** Of the only record; empty if there is none or several. */
  readonly terms: readonly SpfTreeTerm[]
}

export type SpfNodePolicy =
  | SpfPolicy
  /** The domain is one of the ancestors. */
  | { readonly kind: 'loop' }
  /** The tree is too large to be followed further. */
  | { readonly kind: 'not_followed' }

export interface SpfTreeTerm {
  readonly term: SpfTerm
  /** The number of the term's lookup in order of evaluation; absent if it has none or is never reached. */
  readonly lookup?: number
  /** The term that matches every sender, so that this one is never reached; for a redirect, any `all`. */
  readonly behind?: SpfTerm
  /** The target name. */
  readonly target?: string
  /** The families for whose senders the lookup is void. */
  readonly voidFor: readonly SpfFamily[]
  readonly problem?: SpfTermProblem
  /** `all` or an equivalent term: no sender gets past it. */
  readonly matchesEveryone: boolean
  /** The addresses that it matches, if they do not depend on the message. */
  readonly networks: readonly IpNetwork[]
  /** The policy of an include or redirect that was followed. */
  readonly child?: SpfNode
}

export type SpfFamily = 'ip4' | 'ip6'

export type SpfTermProblem =
  /** Not always a mistake: if the target depends on the message, the lookup is counted but not made. */
  | Exclude<StaticTarget, { readonly kind: 'name' }>
  | { readonly kind: 'too_many_exchanges'; readonly count: number }
  | { readonly kind: 'alias_loop'; readonly reason: string }
  | SpfDnsFailure
  | { readonly kind: 'not_followed' }

/** What the policy says, or what the term matches, is unknown. */
export function isUnread({ kind }: SpfNodePolicy | SpfTermProblem): boolean {
  return kind === 'unreachable' || kind === 'not_followed' || kind === 'too_large'
}

/** Unread because of a limit of the check, so that it stays unread until the zone changes. */
export function isOverLimit(unread: SpfNodePolicy | SpfTermProblem): boolean {
  if (unread.kind === 'unreachable') return unread.failure === 'query_limit' || unread.failure === 'oversize'
  return unread.kind === 'not_followed' || unread.kind === 'too_large'
}
