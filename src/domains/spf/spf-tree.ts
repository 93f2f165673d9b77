/** The whole policy of a domain, whoever sends: every include and redirect followed, every lookup counted (RFC 7208 4.6.4). */
import type { IpNetwork } from './ip-address.ts'
import type { MacroLetter } from './macro-string.ts'
import type { SpfPolicy } from './policy.ts'
import { surveyPolicies } from './policy-survey.ts'
import type { SpfDns } from './spf-dns.ts'
import type { SpfTerm } from './spf-term.ts'
import { TreeGrowth } from './tree-growth.ts'

export interface SpfTree {
  readonly root: SpfNode
  /** What a sender that nothing matches costs. More than ten, and some senders get an error. */
  readonly lookups: number
  /** Lookups without an answer, which differ for senders of the two families: `a` asks for addresses of the sender's. */
  readonly voidLookups: { readonly ip4: number; readonly ip6: number }
  /** False where something was not looked at: DNS could not be asked, the message decides, or the tree is too large. */
  readonly isComplete: boolean
}

/** One domain's policy. */
export interface SpfNode {
  readonly domain: string
  readonly policy: SpfNodePolicy
  /** Of the one record; empty where there is none or several. */
  readonly terms: readonly SpfTreeTerm[]
}

export type SpfNodePolicy =
  | SpfPolicy
  /** The domain is one of those that led here. */
  | { readonly kind: 'loop' }
  /** The tree was too large to go on. */
  | { readonly kind: 'not_followed' }

export interface SpfTreeTerm {
  readonly term: SpfTerm
  /** The number of the term's lookup in order of evaluation; absent where it asks nothing or is never come to. */
  readonly lookup?: number
  /** The term that matches every sender and therefore keeps this one from being come to; for a redirect any `all`. */
  readonly behind?: SpfTerm
  /** The name that it is about. */
  readonly target?: string
  /** For senders of which family its lookup is void. */
  readonly voidFor: readonly SpfFamily[]
  readonly problem?: SpfTermProblem
  /** `all`, or a term that comes to the same: no sender gets beyond it. */
  readonly matchesEveryone: boolean
  /** The addresses that it matches, as far as they are the same for every message. */
  readonly networks: readonly IpNetwork[]
  /** Of an include or redirect that is followed. */
  readonly child?: SpfNode
}

export type SpfFamily = 'ip4' | 'ip6'

export type SpfTermProblem =
  | { readonly kind: 'malformed_target'; readonly text: string }
  /** No mistake: the target is another one for each message, so it is counted and not looked at. */
  | { readonly kind: 'depends_on_message'; readonly letters: readonly MacroLetter[] }
  | { readonly kind: 'too_many_exchanges'; readonly count: number }
  | { readonly kind: 'alias_loop'; readonly reason: string }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'not_followed' }

/** `domain`: a host name in ASCII form. The deadline is that of `dns`: what it does not answer in time is `unreachable`. */
export async function readSpfTree(domain: string, dns: SpfDns): Promise<SpfTree> {
  const survey = await surveyPolicies(domain.toLowerCase(), dns)
  return new TreeGrowth(domain.toLowerCase(), survey).grow()
}
