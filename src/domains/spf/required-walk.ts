/** A policy evaluated for all senders of a requirement at once: which of them pass, and what keeps the others from it. */
import { type AddressRange, subtractRanges } from './address-range.ts'
import { listMatched, type RequiredSenders } from './spf-requirement.ts'
import { inOrderOfEvaluation, isMechanism } from './spf-term.ts'
import type { SpfFamily, SpfNode, SpfTreeTerm } from './spf-tree.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from './spf-verdict.ts'

/** From the root: each term leads into the policy in which the next one stands. */
export type TermPath = readonly SpfTreeTerm[]

/** Why a receiver gives up. The path leads to the term at which it does; an empty one is the root's own policy. */
export interface SpfStop {
  readonly kind: 'too_many_lookups' | 'too_many_void_lookups' | 'broken'
  readonly path: TermPath
}

type Ranges = readonly AddressRange[]

interface Decided {
  readonly ranges: Ranges
  /** Leads to the mechanism that decided. */
  readonly by: TermPath
}

export interface Walked {
  readonly passed: Decided[]
  readonly refused: Decided[]
  readonly stopped: { readonly ranges: Ranges; readonly stop: SpfStop }[]
}

export class RequiredWalk {
  /** What could not be looked at and may match or not; the walk goes on as if it did not. */
  readonly unknown: TermPath[] = []
  readonly #senders: RequiredSenders
  readonly #families: readonly SpfFamily[]
  #voidLookups = 0

  constructor(senders: RequiredSenders) {
    this.#senders = senders
    const isIp4 = senders.kind === 'network' && senders.network.address.family === 4
    // Senders of an include may be of either family: for them a lookup is void where it is for both.
    this.#families = senders.kind === 'include' ? ['ip4', 'ip6'] : [isIp4 ? 'ip4' : 'ip6']
  }

  walk(node: SpfNode, ranges: Ranges, path: TermPath): Walked {
    const walked: Walked = { passed: [], refused: [], stopped: [] }
    if (isUnknown(node)) this.unknown.push(path)
    let left = isBroken(node) ? stop(walked, ranges, { kind: 'broken', path }) : ranges
    for (const treeTerm of inOrderOfEvaluation(node.terms, ({ term }) => term)) {
      if (left.length === 0) break
      if (treeTerm.behind === undefined) left = this.#evaluate(treeTerm, left, [...path, treeTerm], walked)
    }
    return walked
  }

  /** Returns those that are still undecided. */
  #evaluate(treeTerm: SpfTreeTerm, ranges: Ranges, path: TermPath, walked: Walked): Ranges {
    const { lookup = 0, voidFor, networks, matchesEveryone, problem, child } = treeTerm
    if (lookup > LOOKUPS_MAX) return stop(walked, ranges, { kind: 'too_many_lookups', path })
    if (this.#families.every((family) => voidFor.includes(family))) this.#voidLookups++
    if (this.#voidLookups > VOID_LOOKUPS_MAX) return stop(walked, ranges, { kind: 'too_many_void_lookups', path })
    if (child !== undefined) return this.#evaluateChild(treeTerm, child, ranges, path, walked)
    if (problem?.kind === 'unreachable' || problem?.kind === 'not_followed') this.unknown.push(path)
    const matched = matchesEveryone ? ranges : listMatched(this.#senders, networks, ranges)
    const left = decide(walked, treeTerm, ranges, { ranges: matched, by: path })
    return isFatal(treeTerm) ? stop(walked, left, { kind: 'broken', path }) : left
  }

  #evaluateChild(treeTerm: SpfTreeTerm, child: SpfNode, ranges: Ranges, path: TermPath, walked: Walked): Ranges {
    const isRequired = this.#senders.kind === 'include' && this.#senders.name === child.domain
    const inside = this.walk(child, ranges, path)
    // The stand-in is somewhere in there, be it in the last term: all of it must be in reach, and readable.
    if (isRequired && inside.stopped.length === 0 && !isUnknown(child)) {
      return decide(walked, treeTerm, ranges, { ranges, by: path })
    }
    walked.stopped.push(...inside.stopped)
    if (!isMechanism(treeTerm.term)) {
      walked.passed.push(...inside.passed)
      walked.refused.push(...inside.refused)
      return []
    }
    const undecided = inside.stopped.reduce((left, stopped) => subtractRanges(left, stopped.ranges), ranges)
    return inside.passed.reduce((left, passed) => decide(walked, treeTerm, left, passed), undecided)
  }
}

/** Takes the matched out of the undecided. A redirect has no qualifier: what the required one matches passes. */
function decide(walked: Walked, { term }: SpfTreeTerm, ranges: Ranges, matched: Decided): Ranges {
  if (matched.ranges.length === 0) return ranges
  const isPass = !isMechanism(term) || term.qualifier === '+'
  const decided = isPass ? walked.passed : walked.refused
  decided.push(matched)
  return subtractRanges(ranges, matched.ranges)
}

function stop(walked: Walked, ranges: Ranges, reason: SpfStop): Ranges {
  if (ranges.length > 0) walked.stopped.push({ ranges, stop: reason })
  return []
}

function isUnknown({ policy }: SpfNode): boolean {
  return policy.kind === 'unreachable' || policy.kind === 'not_followed'
}

/** Sections 4.5, 4.6, 5.2 and 6.1: what makes an evaluation that comes here end in an error. */
export function isBroken(node: SpfNode): boolean {
  const { policy } = node
  if (policy.kind === 'record') return policy.record.problems.length > 0
  return !isUnknown(node)
}

function isFatal({ term, problem }: SpfTreeTerm): boolean {
  if (problem?.kind === 'malformed_target') return term.kind === 'include' || term.kind === 'redirect'
  return problem?.kind === 'too_many_exchanges' || problem?.kind === 'alias_loop'
}
