/** Judges whether an SPF policy can be evaluated for any sender: the check if no mechanism is required. */

import { describeSeveral } from '../../spf/required/describe-required.ts'
import { isBroken, listPaths } from '../../spf/required/required-walk.ts'
import { describeNode } from '../../spf/tree/describe-tree-problem.ts'
import { isOverLimit, type SpfTree } from '../../spf/tree/spf-tree.ts'
import type { Problem } from '../judging/verdict.ts'
import { listLimits } from './spf-warnings.ts'
import { describeBroken, describeJoined } from './spf-words.ts'

export interface WholeJudgement {
  readonly problem?: Problem
  /** With a problem: the DNS query failed. */
  readonly isUnknown: boolean
}

export function judgeWhole(tree: SpfTree): WholeJudgement {
  const own = judgeRoot(tree)
  if (own) return own
  const joined = describeJoined(tree)
  if (joined) return wrong(joined)
  const [limit] = listLimits(tree)
  if (limit) return wrong(limit)
  const path = listPaths(tree.root).find((terms) => {
    const child = terms.at(-1)?.child
    return child && isBroken(child)
  })
  return path ? wrong(describeBroken(tree, 'its end', path)) : { isUnknown: false }
}

function judgeRoot(tree: SpfTree): WholeJudgement | undefined {
  const { domain, policy } = tree.root
  const text = describeNode(tree.root) ?? ''
  switch (policy.kind) {
    case 'record':
      return policy.record.problems.length > 0 ? wrong(describeJoined(tree) ?? describeBroken(tree, '', [])) : undefined
    case 'no_such_name':
    case 'no_record':
      return wrong({ diagnosis: 'no_spf', text: `${domain} has no SPF record.` })
    case 'several_records':
      return wrong({ diagnosis: 'several_spf', text: describeSeveral(domain, policy.records.length) })
    case 'alias_loop':
    case 'loop':
      return wrong({ diagnosis: 'alias_loop', text })
    case 'unreachable':
    case 'not_followed':
    case 'too_large':
      return { problem: { diagnosis: isOverLimit(policy) ? 'check_limit' : 'no_answer', text }, isUnknown: true }
  }
}

function wrong(problem: Problem): WholeJudgement {
  return { problem, isUnknown: false }
}
