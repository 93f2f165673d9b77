/** Decides whether a required mechanism takes effect in a policy: it is reached, and mail passes by it. */

import { isMechanism, type SpfQualifier } from '../syntax/spf-term.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from '../tree/spf-tree.ts'
import { subtractRanges } from './address-range.ts'
import { isBroken, RequiredWalk, type SpfStop, type TermPath } from './required-walk.ts'
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
  | { readonly isEffective: true; readonly path: TermPath }
  /** The domain has no SPF record. */
  | { readonly isEffective: false; readonly reason: 'no_policy' }
  /** No term covers it. `isPartial`: only some addresses pass. `undecided`: terms that match depending on the message. */
  | {
      readonly isEffective: false
      readonly reason: 'missing'
      readonly isPartial: boolean
      readonly undecided: readonly TermPath[]
    }
  | { readonly isEffective: false; readonly reason: 'behind_all'; readonly path: TermPath }
  /** The qualifier is that of the last term of the path. */
  | {
      readonly isEffective: false
      readonly reason: 'wrong_qualifier'
      readonly path: TermPath
      readonly qualifier: SpfQualifier
    }
  | { readonly isEffective: false; readonly reason: 'beyond_limit'; readonly stop: SpfStop }
  /** An error before or around it makes receivers stop. */
  | { readonly isEffective: false; readonly reason: 'broken'; readonly stop: SpfStop }
  /** `foundIn`: the indexes of the domain's records that contain it. */
  | {
      readonly isEffective: false
      readonly reason: 'several_records'
      readonly count: number
      readonly foundIn: readonly number[]
    }
  /** The DNS queries for these policies, which may contain it, failed. An empty path is the domain itself. */
  | { readonly isEffective: false; readonly reason: 'unknown'; readonly paths: readonly TermPath[] }

/** Throws SpfSyntaxError or TypeError for a requirement that no record could satisfy. */
export function findRequired(tree: SpfTree, requirement: SpfRequirement): RequiredOutcome {
  const senders = parseRequirement(requirement)
  return explainRoot(tree, senders) ?? explainWalk(tree, senders)
}

function explainRoot({ root }: SpfTree, senders: RequiredSenders): RequiredOutcome | undefined {
  const { policy, domain } = root
  if (policy.kind === 'no_such_name' || policy.kind === 'no_record') return { isEffective: false, reason: 'no_policy' }
  if (policy.kind === 'several_records') {
    const foundIn = policy.records.flatMap(({ terms }, index) =>
      terms.some((term) => isAboutSenders(senders, term, domain, domain)) ? [index] : [],
    )
    return { isEffective: false, reason: 'several_records', count: policy.records.length, foundIn }
  }
  if (isBroken(root)) return { isEffective: false, reason: 'broken', stop: { kind: 'broken', path: [] } }
  return undefined
}

function explainWalk({ root }: SpfTree, senders: RequiredSenders): RequiredOutcome {
  const walk = new RequiredWalk(senders)
  const { passed, refused, stopped } = walk.walk(root)
  // A term that matches every sender is not the required one.
  const own = passed.filter(({ by }) => !isForEveryone(by))
  const [first] = own
  const left = own.reduce((ranges, decided) => subtractRanges(ranges, decided.ranges), senders.ranges)
  if (first !== undefined && left.length === 0) return { isEffective: true, path: first.by }
  const refusing = refused.find(({ by }) => !isDefault(by))?.by
  const occurrences = listOccurrences(root, senders, root.domain, [])
  // Nearest to the root first, because the domain's own record can be changed.
  const candidates = [...(refusing ? [refusing] : []), ...occurrences.toSorted(byLength)]
  const obstacles = candidates.map(findObstacle)
  const [stopping] = stopped
  if (stopping !== undefined && obstacles.includes(undefined)) return explainStop(stopping.stop)
  const obstacle = obstacles.find((found) => found !== undefined)
  if (obstacle !== undefined) return obstacle
  if (walk.unknown.length > 0) return { isEffective: false, reason: 'unknown', paths: walk.unknown }
  return { isEffective: false, reason: 'missing', isPartial: own.length > 0, undecided: listUndecided(root, []) }
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

function byLength(one: TermPath, other: TermPath): number {
  return one.length - other.length
}

function explainStop(stop: SpfStop): RequiredOutcome {
  return { isEffective: false, reason: stop.kind === 'broken' ? 'broken' : 'beyond_limit', stop }
}

/** The first obstacle on the path to a term, from the root. */
function findObstacle(path: TermPath): RequiredOutcome | undefined {
  for (const [index, { term, behind }] of path.entries()) {
    const here = path.slice(0, index + 1)
    if (behind !== undefined) return { isEffective: false, reason: 'behind_all', path: here }
    if (isMechanism(term) && term.qualifier !== '+') {
      return { isEffective: false, reason: 'wrong_qualifier', path: here, qualifier: term.qualifier }
    }
  }
  return undefined
}

/** All occurrences of the requirement, whether or not they take effect. */
function listOccurrences(
  node: SpfNode,
  senders: RequiredSenders,
  rootDomain: string,
  path: TermPath,
): readonly TermPath[] {
  const { policy, domain, terms } = node
  const isInSeveral =
    policy.kind === 'several_records' &&
    policy.records.some((record) => record.terms.some((term) => isAboutSenders(senders, term, domain, rootDomain)))
  const here = isInSeveral ? [path] : []
  return here.concat(
    terms.flatMap((treeTerm) => {
      const { term, networks, child } = treeTerm
      const at = [...path, treeTerm]
      const isIt = isAboutSenders(senders, term, domain, rootDomain) || listMatched(senders, networks).length > 0
      const below = child === undefined ? [] : listOccurrences(child, senders, rootDomain, at)
      return isIt ? [at, ...below] : below
    }),
  )
}

/** Terms whose target depends on the message, and `ptr`, which looks up the names of the client. */
function listUndecided(node: SpfNode, path: TermPath): readonly TermPath[] {
  return node.terms.flatMap((treeTerm) => {
    const here = [...path, treeTerm]
    if (isDynamic(treeTerm)) return [here]
    return treeTerm.child === undefined ? [] : listUndecided(treeTerm.child, here)
  })
}

function isDynamic({ term, behind, problem }: SpfTreeTerm): boolean {
  return behind === undefined && (term.kind === 'ptr' || problem?.kind === 'depends_on_message')
}
