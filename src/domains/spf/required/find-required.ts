/** Decides whether a required mechanism takes effect in a policy: it is reached, and mail passes by it. */

import { isMechanism, type SpfQualifier, type SpfTerm } from '../syntax/spf-term.ts'
import { isOverLimit, type SpfNode, type SpfTree } from '../tree/spf-tree.ts'
import { subtractRanges } from './address-range.ts'
import { isBroken, listPaths, RequiredWalk, type SpfStop, type TermPath } from './required-walk.ts'
import {
  isAboutSenders,
  listMatched,
  parseRequirement,
  type RequiredSenders,
  type SpfRequirement,
} from './spf-requirement.ts'

/** A path ends at the term that the reason refers to. */
export type RequiredOutcome =
  /** The path ends at the term that lets the mail pass; the first one if several share a network. */
  { readonly isEffective: true; readonly path: TermPath } | ({ readonly isEffective: false } & SpfObstacle)

export type SpfObstacle =
  /** The domain has no SPF record. */
  | { readonly reason: 'no_policy' }
  /** No term covers it. `isPartial`: only some addresses pass. `undecided`: terms that match depending on the message. */
  | { readonly reason: 'missing'; readonly isPartial: boolean; readonly undecided: readonly TermPath[] }
  | { readonly reason: 'behind_all'; readonly path: TermPath }
  /** The qualifier is that of the last term of the path. */
  | { readonly reason: 'wrong_qualifier'; readonly path: TermPath; readonly qualifier: SpfQualifier }
  | { readonly reason: 'beyond_limit'; readonly stop: SpfStop }
  /** An error before or around it makes receivers stop. */
  | { readonly reason: 'broken'; readonly stop: SpfStop }
  /** `foundIn`: the indexes of the domain's records that contain it. */
  | { readonly reason: 'several_records'; readonly count: number; readonly foundIn: readonly number[] }
  /**
   * The DNS queries for these policies, which may contain it, failed. An empty path is the domain itself. `isLimited`: some
   * are beyond a limit of the check.
   */
  | { readonly reason: 'unknown'; readonly paths: readonly TermPath[]; readonly isLimited: boolean }

/** Throws SpfSyntaxError or TypeError for a requirement that no record could satisfy. */
export function findRequired(tree: SpfTree, requirement: SpfRequirement): RequiredOutcome {
  const senders = parseRequirement(requirement)
  const found = explainRoot(tree, senders) ?? explainWalk(tree, senders)
  return 'reason' in found ? { isEffective: false, ...found } : { isEffective: true, path: found }
}

function explainRoot({ root }: SpfTree, senders: RequiredSenders): SpfObstacle | undefined {
  const { policy, domain } = root
  if (policy.kind === 'no_such_name' || policy.kind === 'no_record') return { reason: 'no_policy' }
  if (policy.kind === 'several_records') {
    const foundIn = policy.records.flatMap(({ terms }, index) =>
      terms.some((term) => isAboutSenders(senders, term, domain, domain)) ? [index] : [],
    )
    return { reason: 'several_records', count: policy.records.length, foundIn }
  }
  return isBroken(root) ? { reason: 'broken', stop: { kind: 'broken', path: [] } } : undefined
}

/** The path to the term that lets the mail pass, or the obstacle. */
function explainWalk({ root }: SpfTree, senders: RequiredSenders): TermPath | SpfObstacle {
  const walk = new RequiredWalk(senders)
  const { passed, refused, stopped } = walk.walk(root)
  // A term that matches every sender is not the required one.
  const own = passed.filter(({ by }) => !isForEveryone(by))
  const [first] = own
  const left = own.reduce((ranges, decided) => subtractRanges(ranges, decided.ranges), senders.ranges)
  if (first !== undefined && left.length === 0) return first.by
  const refusing = refused.find(({ by }) => !isDefault(by))?.by
  const occurrences = listPaths(root)
    .filter((path) => isOccurrence(path, senders, root.domain))
    .toArray()
  // Nearest to the root first, because the domain's own record can be changed.
  const nearest = occurrences.toSorted((one, other) => one.length - other.length)
  const obstacles = [...(refusing ? [refusing] : []), ...nearest].map(findObstacle)
  const [stopping] = stopped
  if (stopping !== undefined && obstacles.includes(undefined)) {
    const { stop } = stopping
    return { reason: stop.kind === 'broken' ? 'broken' : 'beyond_limit', stop }
  }
  const obstacle = obstacles.find((found) => found !== undefined)
  if (obstacle !== undefined) return obstacle
  if (walk.unknown.length > 0) {
    return { reason: 'unknown', paths: walk.unknown, isLimited: walk.unknown.some((path) => isLimited(root, path)) }
  }
  return { reason: 'missing', isPartial: own.length > 0, undecided: listPaths(root).filter(isUndecided).toArray() }
}

function isLimited(root: SpfNode, path: TermPath): boolean {
  const last = path.at(-1)
  const node = last === undefined ? root : last.child
  const unread = node?.policy ?? last?.problem
  return unread !== undefined && isOverLimit(unread)
}

/** The path ends at a term that matches every sender, such as `all`; not at an include that contains one. */
function isForEveryone(path: TermPath): boolean {
  const last = path.at(-1)
  return last?.matchesEveryone === true && last.child === undefined
}

/** The policy's default for senders that no other term matches. */
function isDefault(path: TermPath): boolean {
  return isForEveryone(path) && path.slice(0, -1).every(({ term }) => term.kind === 'redirect')
}

/** The first obstacle on the path to a term, from the root. */
function findObstacle(path: TermPath): SpfObstacle | undefined {
  for (const [index, { term, behind }] of path.entries()) {
    const here = path.slice(0, index + 1)
    if (behind !== undefined) return { reason: 'behind_all', path: here }
    if (isMechanism(term) && term.qualifier !== '+') {
      return { reason: 'wrong_qualifier', path: here, qualifier: term.qualifier }
    }
  }
  return undefined
}

/** The path ends at the requirement, or at a domain with several records of which one contains it, effective or not. */
function isOccurrence(path: TermPath, senders: RequiredSenders, rootDomain: string): boolean {
  const last = path.at(-1)
  if (last === undefined) return false
  const { term, networks, child } = last
  const isIn = (terms: readonly SpfTerm[], domain: string) =>
    terms.some((one) => isAboutSenders(senders, one, domain, rootDomain))
  if (isIn([term], path.at(-2)?.child?.domain ?? rootDomain) || listMatched(senders, networks).length > 0) return true
  return child?.policy.kind === 'several_records' && child.policy.records.some(({ terms }) => isIn(terms, child.domain))
}

/** Terms whose target depends on the message, and `ptr`, which looks up the names of the client. */
function isUndecided(path: TermPath): boolean {
  const { term, behind, problem } = path.at(-1) ?? {}
  return behind === undefined && (term?.kind === 'ptr' || problem?.kind === 'depends_on_message')
}
