/** Evaluates a policy for all senders of a requirement at once: which pass, and why the others do not. */

import { inOrderOfEvaluation, isMechanism, lookupsOf } from '../syntax/spf-term.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../tree/spf-limits.ts'
import { isUnread, type SpfFamily, type SpfNode, type SpfTreeTerm } from '../tree/spf-tree.ts'
import { type AddressRange, subtractRanges } from './address-range.ts'
import { listMatched, type RequiredSenders } from './spf-requirement.ts'

/** From the root: each term leads to the policy that contains the next one. */
export type TermPath = readonly SpfTreeTerm[]

/** The paths to every term of a policy and of the policies below it. */
export function* listPaths({ terms }: SpfNode, path: TermPath = []): Generator<TermPath, void> {
  for (const treeTerm of terms) {
    const here = [...path, treeTerm]
    yield here
    if (treeTerm.child) yield* listPaths(treeTerm.child, here)
  }
}

/** Why a receiver stops. The path leads to the term where it stops; an empty path is the root's own policy. */
export interface SpfStop {
  readonly kind: 'too_many_lookups' | 'too_many_void_lookups' | 'broken'
  readonly path: TermPath
}

/** A group of senders with the same number of lookups spent so far. */
interface Group {
  readonly ranges: readonly AddressRange[]
  readonly lookups: number
  readonly voidLookups: number
}

export interface Decided extends Group {
  /** Leads to the mechanism that decided. */
  readonly by: TermPath
}

export interface Walked {
  readonly passed: Decided[]
  readonly refused: Decided[]
  readonly stopped: { readonly ranges: readonly AddressRange[]; readonly stop: SpfStop }[]
  undecided: readonly Group[]
}

export class RequiredWalk {
  /** Terms and policies that could not be read; the walk continues as if they did not match. */
  readonly unknown: TermPath[] = []
  readonly #senders: RequiredSenders
  readonly #family: SpfFamily

  constructor(senders: RequiredSenders) {
    this.#senders = senders
    // The senders of an include can have either family; IPv4 is assumed, because hosts without IPv6 addresses are common.
    this.#family = senders.kind === 'network' && senders.network.address.family === 6 ? 'ip6' : 'ip4'
  }

  walk(root: SpfNode): Walked {
    return this.#walk(root, { ranges: this.#senders.ranges, lookups: 0, voidLookups: 0 }, [])
  }

  #walk(node: SpfNode, group: Group, path: TermPath): Walked {
    const walked: Walked = { passed: [], refused: [], stopped: [], undecided: [group] }
    if (isUnknown(node)) this.unknown.push(path)
    if (isBroken(node)) walked.undecided = stop(walked, group, { kind: 'broken', path })
    // After a term that matches every sender, no sender is undecided.
    for (const treeTerm of inOrderOfEvaluation(node.terms, ({ term }) => term)) {
      walked.undecided = merge(
        walked.undecided.flatMap((some) => this.#evaluate(treeTerm, some, [...path, treeTerm], walked)),
      )
    }
    return walked
  }

  /** Returns the senders that are still undecided. */
  #evaluate(treeTerm: SpfTreeTerm, before: Group, path: TermPath, walked: Walked): readonly Group[] {
    const { term, networks, matchesEveryone, problem, child } = treeTerm
    const lookups = before.lookups + lookupsOf(term)
    const voidLookups = before.voidLookups + Number(treeTerm.voidFor.includes(this.#family))
    const group = { ranges: before.ranges, lookups, voidLookups }
    if (lookups > LOOKUPS_MAX) return stop(walked, group, { kind: 'too_many_lookups', path })
    if (voidLookups > VOID_LOOKUPS_MAX) return stop(walked, group, { kind: 'too_many_void_lookups', path })
    if (child !== undefined) return this.#evaluateChild(treeTerm, child, group, path, walked)
    if (problem && isUnread(problem)) this.unknown.push(path)
    const matched = matchesEveryone ? group.ranges : listMatched(this.#senders, networks, group.ranges)
    decide(walked, treeTerm, { ...group, ranges: matched, by: path })
    const left = { ...group, ranges: subtractRanges(group.ranges, matched) }
    return isFatal(treeTerm) ? stop(walked, left, { kind: 'broken', path }) : [left]
  }

  #evaluateChild(
    treeTerm: SpfTreeTerm,
    child: SpfNode,
    group: Group,
    path: TermPath,
    walked: Walked,
  ): readonly Group[] {
    const isRequired = this.#senders.kind === 'include' && this.#senders.name === child.domain
    const inside = this.#walk(child, group, path)
    // The stand-in may match the last term of the policy, so all of it must be reachable and readable.
    if (isRequired && inside.stopped.length === 0 && !isUnknown(child)) {
      const [end = group] = [...inside.passed, ...inside.refused, ...inside.undecided]
      // Which of its terms matches is unknown, so all of its lookups are spent.
      decide(walked, treeTerm, { ...end, ranges: group.ranges, by: path })
      return []
    }
    walked.stopped.push(...inside.stopped)
    if (!isMechanism(treeTerm.term)) {
      walked.passed.push(...inside.passed)
      walked.refused.push(...inside.refused)
      return inside.undecided
    }
    for (const passed of inside.passed) decide(walked, treeTerm, passed)
    // RFC 7208 5.2: an include whose policy does not pass does not match; its lookups stay spent.
    return [...inside.refused, ...inside.undecided]
  }
}

/** A redirect has no qualifier; it decides only if it leads to the required policy, and then mail passes. */
function decide(walked: Walked, { term }: SpfTreeTerm, matched: Decided): void {
  if (matched.ranges.length === 0) return
  const isPass = !isMechanism(term) || term.qualifier === '+'
  const decided = isPass ? walked.passed : walked.refused
  decided.push(matched)
}

function stop(walked: Walked, { ranges }: Group, reason: SpfStop): readonly Group[] {
  if (ranges.length > 0) walked.stopped.push({ ranges, stop: reason })
  return []
}

/** Merges groups with equal counts, and drops empty ones. */
function merge(groups: readonly Group[]): readonly Group[] {
  const merged = new Map<string, Group>()
  for (const { ranges, lookups, voidLookups } of groups) {
    const key = `${lookups} ${voidLookups}`
    if (ranges.length > 0)
      merged.set(key, { ranges: [...(merged.get(key)?.ranges ?? []), ...ranges], lookups, voidLookups })
  }
  return [...merged.values()]
}

function isUnknown({ policy }: SpfNode): boolean {
  return isUnread(policy)
}

/** RFC 7208 4.5, 4.6, 5.2 and 6.1: an evaluation that reaches this policy ends in an error. */
export function isBroken(node: SpfNode): boolean {
  const { policy } = node
  if (policy.kind === 'record') return policy.record.problems.length > 0
  return !isUnknown(node)
}

function isFatal({ term, problem }: SpfTreeTerm): boolean {
  if (problem?.kind === 'malformed_target') return term.kind === 'include' || term.kind === 'redirect'
  return problem?.kind === 'too_many_exchanges' || problem?.kind === 'alias_loop'
}
