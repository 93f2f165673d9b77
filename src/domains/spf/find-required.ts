/** Whether a mechanism that mail depends on takes effect in a policy: not merely there, but come to, and passing. */
import { subtractRanges } from './address-range.ts'
import { isBroken, RequiredWalk, type SpfStop, type TermPath } from './required-walk.ts'
import {
  isAboutSenders,
  listMatched,
  parseRequirement,
  type RequiredSenders,
  type SpfRequirement,
} from './spf-requirement.ts'
import { isMechanism, type SpfQualifier } from './spf-term.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from './spf-tree.ts'

/** A path ends at the term that the reason is about. */
export type RequiredOutcome =
  /** The path ends at what lets the mail pass: the first such term where several share a network. */
  | { readonly isEffective: true; readonly path: TermPath }
  /** The domain has no SPF record. */
  | { readonly isEffective: false; readonly reason: 'no_policy' }
  /** Nothing in the policy is about it. `isPartial`: only some addresses of a network pass. `undecided` may match or not. */
  | {
      readonly isEffective: false
      readonly reason: 'missing'
      readonly isPartial: boolean
      readonly undecided: readonly TermPath[]
    }
  | { readonly isEffective: false; readonly reason: 'behind_all'; readonly path: TermPath }
  /** That of the last term of the path. */
  | {
      readonly isEffective: false
      readonly reason: 'wrong_qualifier'
      readonly path: TermPath
      readonly qualifier: SpfQualifier
    }
  | { readonly isEffective: false; readonly reason: 'beyond_limit'; readonly stop: SpfStop }
  /** Before it, or around it, something is wrong that makes receivers give up. */
  | { readonly isEffective: false; readonly reason: 'broken'; readonly stop: SpfStop }
  /** `foundIn`: which of the domain's records hold it, counted from 0. */
  | {
      readonly isEffective: false
      readonly reason: 'several_records'
      readonly count: number
      readonly foundIn: readonly number[]
    }
  /** DNS could not be asked about these, which may hold it. An empty path is the domain itself. */
  | { readonly isEffective: false; readonly reason: 'unknown'; readonly paths: readonly TermPath[] }

/** Throws SpfSyntaxError or TypeError for a requirement that no record could fulfil. */
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
  // What lets everyone pass lets these pass too, and is not what is required.
  const own = passed.filter(({ by }) => !isForEveryone(by))
  const [first] = own
  const left = own.reduce((ranges, decided) => subtractRanges(ranges, decided.ranges), senders.ranges)
  if (first !== undefined && left.length === 0) return { isEffective: true, path: first.by }
  const refusing = refused.find(({ by }) => !isDefault(by))?.by
  const occurrences = listOccurrences(root, senders, root.domain, [])
  // Nearest to the root first: it is the domain's own record that can be changed.
  const candidates = [...(refusing ? [refusing] : []), ...occurrences.toSorted(byLength)]
  const obstacles = candidates.map(findObstacle)
  const [stopping] = stopped
  if (stopping !== undefined && obstacles.includes(undefined)) return explainStop(stopping.stop)
  const obstacle = obstacles.find((found) => found !== undefined)
  if (obstacle !== undefined) return obstacle
  if (walk.unknown.length > 0) return { isEffective: false, reason: 'unknown', paths: walk.unknown }
  return { isEffective: false, reason: 'missing', isPartial: own.length > 0, undecided: listUndecided(root, []) }
}

/** It ends at `all` or the like; an include that holds such a term is followed by it in the path. */
function isForEveryone(path: TermPath): boolean {
  const last = path.at(-1)
  return last?.matchesEveryone === true && last.child === undefined
}

/** What the policy says of senders that nothing else in it is about. */
function isDefault(path: TermPath): boolean {
  return isForEveryone(path) && path.slice(0, -1).every(({ term }) => term.kind === 'redirect')
}

function byLength(one: TermPath, other: TermPath): number {
  return one.length - other.length
}

function explainStop(stop: SpfStop): RequiredOutcome {
  return { isEffective: false, reason: stop.kind === 'broken' ? 'broken' : 'beyond_limit', stop }
}

/** What on the way to a term keeps it from passing, outermost first. */
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

/** Where the requirement is written, whether or not it takes effect there. */
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

/** Terms whose target is another one for each message, and `ptr`, which asks for the names of the client. */
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
