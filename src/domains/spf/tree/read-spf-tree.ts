/** Reads the tree of a policy from DNS, in the order in which a receiver evaluates it. */
import { type IpAddress, type IpNetwork, readIpAddress } from '../../ip-address.ts'
import {
  inOrderOfEvaluation,
  isAsking,
  isMechanism,
  isRedirect,
  lookupsOf,
  type SpfAddressMechanism,
  type SpfAskingTerm,
  type SpfTerm,
} from '../syntax/spf-term.ts'
import { type PolicySurvey, QUERIED_TYPE, surveyPolicies } from './policy-survey.ts'
import { exchangesOf, isVoid, type SpfDns, type SpfDnsAnswer, valuesOf } from './spf-dns.ts'
import { ADDRESSES_MAX, EXCHANGES_MAX, LOOKUPS_FOLLOWED_MAX, TERMS_MAX } from './spf-limits.ts'
import {
  isUnread,
  type SpfFamily,
  type SpfNode,
  type SpfNodePolicy,
  type SpfTermProblem,
  type SpfTree,
  type SpfTreeTerm,
} from './spf-tree.ts'
import { readStaticTarget } from './static-target.ts'

/** `domain`: a host name in ASCII form. The deadline is that of `dns`, which returns `unreachable` after it. */
export async function readSpfTree(domain: string, dns: SpfDns): Promise<SpfTree> {
  const name = domain.toLowerCase()
  return new TreeGrowth(name, await surveyPolicies(name, dns)).grow()
}

type Found = Pick<SpfTreeTerm, 'matchesEveryone' | 'voidFor' | 'networks' | 'problem' | 'child'>

const NOTHING: Found = { matchesEveryone: false, voidFor: [], networks: [] }

class TreeGrowth {
  readonly #rootDomain: string
  readonly #survey: PolicySurvey
  #lookups = 0
  readonly #voidLookups = { ip4: 0, ip6: 0 }
  #isComplete = true
  #terms = 0

  constructor(rootDomain: string, survey: PolicySurvey) {
    this.#rootDomain = rootDomain
    this.#survey = survey
  }

  grow(): SpfTree {
    const root = this.#growNode(this.#rootDomain, [])
    return { root, lookups: this.#lookups, voidLookups: this.#voidLookups, isComplete: this.#isComplete }
  }

  #growNode(domain: string, ancestors: readonly string[]): SpfNode {
    const policy = this.#policyOf(domain, ancestors)
    if (isUnread(policy)) this.#isComplete = false
    if (policy.kind !== 'record') return { domain, policy, terms: [] }
    const { terms, problems } = policy.record
    // RFC 7208 4.6: a syntax error ends the evaluation before any term is evaluated.
    if (problems.length > 0) return { domain, policy, terms: terms.map(withoutLookup) }
    return { domain, policy, terms: this.#growTerms(terms, domain, [...ancestors, domain]) }
  }

  #policyOf(domain: string, ancestors: readonly string[]): SpfNodePolicy {
    if (ancestors.includes(domain)) return { kind: 'loop' }
    const policy = this.#survey.policyOf(domain)
    if (policy === undefined || this.#lookups > LOOKUPS_FOLLOWED_MAX) return { kind: 'not_followed' }
    if (policy.kind !== 'record') return policy
    const { terms } = policy.record
    if (this.#terms + terms.length > TERMS_MAX) return { kind: 'too_large' }
    this.#terms += terms.length
    return policy
  }

  /** RFC 7208 5.1: `all` ends the evaluation; a redirect comes last, so with `all` it is ignored, whatever their order. */
  #growTerms(terms: readonly SpfTerm[], domain: string, path: readonly string[]): readonly SpfTreeTerm[] {
    const grown = new Map<SpfTerm, SpfTreeTerm>()
    let behind: SpfTerm | undefined
    for (const term of inOrderOfEvaluation(terms, (item) => item)) {
      const blocking = isMechanism(term) || isRedirect(term) ? behind : undefined
      const treeTerm = blocking ? { ...withoutLookup(term), behind: blocking } : this.#growTerm(term, domain, path)
      grown.set(term, treeTerm)
      if (treeTerm.matchesEveryone) behind ??= term
    }
    return terms.map((term) => grown.get(term) ?? withoutLookup(term))
  }

  #growTerm(term: SpfTerm, domain: string, path: readonly string[]): SpfTreeTerm {
    if (!isAsking(term)) return withoutLookup(term)
    const target = readStaticTarget(term, domain, this.#rootDomain)
    this.#lookups += lookupsOf(term)
    const counted = { term, lookup: this.#lookups }
    if (this.#lookups > LOOKUPS_FOLLOWED_MAX && target.kind === 'name' && !isPolicyTerm(term)) {
      this.#isComplete = false
      return { ...counted, target: target.name, ...NOTHING, problem: { kind: 'not_followed' } }
    }
    if (target.kind === 'name') return { ...counted, target: target.name, ...this.#look(term, target.name, path) }
    if (target.kind === 'depends_on_message') this.#isComplete = false
    return { ...counted, ...NOTHING, problem: target }
  }

  #look(term: SpfAskingTerm, name: string, path: readonly string[]): Found {
    if (term.kind === 'ptr') return NOTHING
    if (term.kind === 'a') return this.#lookAtAddresses(term, [name], true)
    const answer = this.#survey.answerTo(name, QUERIED_TYPE[term.kind])
    const voidFor = this.#countVoid(answer, ['ip4', 'ip6'])
    switch (term.kind) {
      case 'include':
      case 'redirect': {
        const child = this.#growNode(name, path)
        return { ...NOTHING, matchesEveryone: !isRedirect(term) && passesEveryone(child), voidFor, child }
      }
      case 'exists':
        return { ...NOTHING, matchesEveryone: answer?.kind === 'records', voidFor, ...this.#problemOf([answer]) }
      case 'mx': {
        const exchanges = answer === undefined ? [] : exchangesOf(answer)
        const found = this.#lookAtAddresses(term, exchanges.slice(0, EXCHANGES_MAX), false)
        const count = exchanges.length
        const problem = count > EXCHANGES_MAX && { problem: { kind: 'too_many_exchanges', count } as const }
        return { ...found, ...this.#problemOf([answer]), ...problem, voidFor }
      }
    }
  }

  /** Void if the name has no address of the sender's family. Address lookups of exchanges do not count. */
  #lookAtAddresses(term: SpfAddressMechanism, names: readonly string[], isCounted: boolean): Found {
    const ip4 = names.map((name) => this.#survey.answerTo(name, 'A'))
    const ip6 = names.map((name) => this.#survey.answerTo(name, 'AAAA'))
    const voidFor = isCounted ? [...this.#countVoid(ip4[0], ['ip4']), ...this.#countVoid(ip6[0], ['ip6'])] : []
    const networks = [...networksOf(ip4, term.prefixLength4), ...networksOf(ip6, term.prefixLength6)]
    return { matchesEveryone: false, voidFor, networks, ...this.#problemOf([...ip4, ...ip6]) }
  }

  #countVoid(answer: SpfDnsAnswer | undefined, families: readonly SpfFamily[]): readonly SpfFamily[] {
    if (answer === undefined || !isVoid(answer)) return []
    for (const family of families) this.#voidLookups[family]++
    return families
  }

  #problemOf(answers: readonly (SpfDnsAnswer | undefined)[]): { readonly problem?: SpfTermProblem } {
    if (answers.includes(undefined)) {
      this.#isComplete = false
      return { problem: { kind: 'not_followed' } }
    }
    const failed = answers.find((answer) => answer?.kind === 'unreachable' || answer?.kind === 'alias_loop')
    if (failed?.kind !== 'unreachable' && failed?.kind !== 'alias_loop') return {}
    if (failed.kind === 'unreachable') this.#isComplete = false
    const { kind, reason } = failed
    return { problem: kind === 'unreachable' ? failed : { kind, reason } }
  }
}

/** Leads to another policy, where the same limit applies. */
function isPolicyTerm({ kind }: SpfTerm): boolean {
  return kind === 'include' || kind === 'redirect'
}

function withoutLookup(term: SpfTerm): SpfTreeTerm {
  const networks = 'network' in term ? [term.network] : []
  return { term, matchesEveryone: term.kind === 'all', voidFor: [], networks }
}

function networksOf(answers: readonly (SpfDnsAnswer | undefined)[], prefixLength: number): readonly IpNetwork[] {
  return answers
    .values()
    .flatMap((answer) => (answer ? addressesOf(answer) : []))
    .take(ADDRESSES_MAX)
    .map((address) => ({ address, prefixLength }))
    .toArray()
}

/** Parsed once, however many terms of a policy lead to the answer and however often it is judged. */
const parsed = new WeakMap<SpfDnsAnswer, readonly IpAddress[]>()

function addressesOf(answer: SpfDnsAnswer): readonly IpAddress[] {
  const known = parsed.get(answer)
  if (known) return known
  const addresses = valuesOf(answer).flatMap((value) => readIpAddress(value) ?? [])
  parsed.set(answer, addresses)
  return addresses
}

/** True if only passing terms precede one that matches every sender; another qualifier could stop some senders before. */
function passesEveryone({ terms }: SpfNode): boolean {
  for (const { term, matchesEveryone, child } of inOrderOfEvaluation(terms, (treeTerm) => treeTerm.term)) {
    if (isMechanism(term) && term.qualifier !== '+') return false
    if (matchesEveryone) return true
    if (isRedirect(term)) return child !== undefined && passesEveryone(child)
  }
  return false
}
