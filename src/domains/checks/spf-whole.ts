/** Whether an SPF policy can be evaluated at all, for whomever: what is checked where nothing in particular is required. */
import { describeNode } from '../spf/describe-tree-problem.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from '../spf/spf-tree.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../spf/spf-verdict.ts'
import { describeLookups, describeVoidLookups } from './spf-warnings.ts'
import { describeBroken } from './spf-words.ts'
import type { Problem } from './verdict.ts'

export interface WholeJudgement {
  readonly problem?: Problem
  /** With a problem: it is one of asking. */
  readonly isUnknown: boolean
}

export function judgeWhole(tree: SpfTree): WholeJudgement {
  const { root, lookups, voidLookups } = tree
  const own = judgeRoot(tree)
  if (own) return own
  const voids = Math.max(voidLookups.ip4, voidLookups.ip6)
  if (lookups > LOOKUPS_MAX) return wrong({ diagnosis: 'spf_lookups', text: describeLookups(root.domain, lookups) })
  if (voids > VOID_LOOKUPS_MAX) {
    return wrong({ diagnosis: 'spf_void_lookups', text: describeVoidLookups(root.domain, voids) })
  }
  const path = findBroken(root)
  return path ? wrong(describeBroken(tree, 'its end', path)) : { isUnknown: false }
}

function judgeRoot(tree: SpfTree): WholeJudgement | undefined {
  const { domain, policy } = tree.root
  switch (policy.kind) {
    case 'record':
      return policy.record.problems.length > 0 ? wrong(describeBroken(tree, '', [])) : undefined
    case 'no_such_name':
    case 'no_record':
      return wrong({ diagnosis: 'no_spf', text: `${domain} has no SPF record.` })
    case 'several_records': {
      const text =
        `There are ${policy.records.length} SPF records at ${domain}, which makes receivers ignore all of them. ` +
        'Merge them into one: a single v=spf1 with the terms of all, and delete the rest.'
      return wrong({ diagnosis: 'several_spf', text })
    }
    case 'alias_loop':
    case 'loop':
      return wrong({ diagnosis: 'alias_loop', text: describeNode(tree.root) ?? '' })
    case 'unreachable':
    case 'not_followed':
      return { problem: { diagnosis: 'no_answer', text: describeNode(tree.root) ?? '' }, isUnknown: true }
  }
}

function wrong(problem: Problem): WholeJudgement {
  return { problem, isUnknown: false }
}

/** The way to the first policy that makes receivers give up. */
function findBroken(node: SpfNode): readonly SpfTreeTerm[] | undefined {
  for (const treeTerm of node.terms) {
    const { child } = treeTerm
    if (!child) continue
    if (isBroken(child)) return [treeTerm]
    const below = findBroken(child)
    if (below) return [treeTerm, ...below]
  }
  return undefined
}

/** RFC 7208 sections 5.2 and 6.1: the target of an include or redirect must have a policy. */
function isBroken({ policy }: SpfNode): boolean {
  if (policy.kind === 'record') return policy.record.problems.length > 0
  return policy.kind !== 'unreachable' && policy.kind !== 'not_followed'
}
