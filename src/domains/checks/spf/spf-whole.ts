/** Judges whether an SPF policy can be evaluated for any sender: the check if no mechanism is required. */

import { isBroken } from '../../spf/required/required-walk.ts'
import { describeNode } from '../../spf/tree/describe-tree-problem.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../../spf/tree/spf-limits.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from '../../spf/tree/spf-tree.ts'
import type { Problem } from '../judging/verdict.ts'
import { describeLookups, describeVoidLookups } from './spf-warnings.ts'
import { describeBroken } from './spf-words.ts'

export interface WholeJudgement {
  readonly problem?: Problem
  /** With a problem: the DNS query failed. */
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
        `There are ${policy.records.length} SPF records at ${domain}, so receivers ignore all of them. ` +
        'Merge them into one: a single v=spf1 with the terms of all, and delete the others.'
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

/** The path to the first policy that makes receivers stop. */
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
