/** Error texts for SPF policies that do not let our mail pass, where more details are known. */

import { printable } from '../../printable-text.ts'
import type { TermPath } from '../../spf/required/required-walk.ts'
import { describeSyntaxProblem } from '../../spf/syntax/describe-syntax-problem.ts'
import type { SpfTerm } from '../../spf/syntax/spf-term.ts'
import { describeNode, describeTerm } from '../../spf/tree/describe-tree-problem.ts'
import type { SpfNode, SpfTree } from '../../spf/tree/spf-tree.ts'
import type { Problem } from '../judging/verdict.ts'

/** Maximum number of syntax errors to list. */
const PROBLEMS_MAX = 3

/** The term at the end of `path` makes receivers stop before they reach `wanted`. */
export function describeBroken({ root }: SpfTree, wanted: string, path: TermPath): Problem {
  const [[first], [last]] = [path, path.slice(-1)]
  if (!first || !last) return describeOwnRecord(root)
  const { child } = last
  const steps = path.map(({ term }) => printable(term.text)).join(' -> ')
  if (child?.policy.kind === 'loop') {
    const text =
      `The SPF policy of ${root.domain} includes itself (${steps}), so receivers stop evaluating it before they reach ` +
      `${wanted}. Remove ${printable(first.term.text)}.`
    return { diagnosis: 'spf_loop', text }
  }
  const fault = (child && describeNode(child)) ?? `${describeTerm(last).join(', ')}.`
  const text =
    `Receivers stop evaluating the SPF policy of ${root.domain} before they reach ${wanted}, because of ${steps}: ${fault} ` +
    `Remove ${printable(first.term.text)}, or have it corrected.`
  return { diagnosis: 'spf_broken', text }
}

/** The customer's record is correct. `path` leads to the broken policy of the operator. */
export function describeOperatorFault({ root }: SpfTree, path: TermPath): Problem {
  const fault = path.map(({ child }) => child && describeNode(child)).find((found) => found !== undefined) ?? ''
  const text =
    `The SPF record of ${root.domain} is correct, but receivers cannot evaluate the policy that it includes: ${fault} ` +
    'The operator of this service must fix this; there is nothing to change in your DNS.'
  return { diagnosis: 'operator_spf', text, type: 'CONFIG' }
}

/** RFC 7208 4.6: a single syntax error invalidates the whole record. */
function describeOwnRecord(root: SpfNode): Problem {
  const problems = root.policy.kind === 'record' ? root.policy.record.problems : []
  const told = problems.slice(0, PROBLEMS_MAX).map(describeSyntaxProblem).join(' ')
  const text = `The SPF record of ${root.domain} has a syntax error, so receivers ignore the whole record: ${told} Correct or remove it.`
  return { diagnosis: 'spf_broken', text }
}

/** `wanted` is missing, and a term without effect may be the reason. */
export function describeWithoutEffect({ root }: SpfTree, wanted: string): Problem | undefined {
  const misspelled = root.terms.find(({ term }) => isMechanismWithEquals(term))
  if (misspelled) {
    const text =
      `The SPF record of ${root.domain} says ${printable(misspelled.term.text)} with an equals sign, which has no effect. ` +
      `Write ${wanted} with a colon.`
    return { diagnosis: 'spf_missing', text }
  }
  const ignored = root.terms.find(({ term, behind }) => term.kind === 'redirect' && behind !== undefined)
  if (!ignored) return undefined
  // RFC 7208 6.1: with `all`, a redirect is ignored, although its target may have what is wanted.
  const [redirect, all] = [printable(ignored.term.text), printable(ignored.behind?.text ?? 'all')]
  const text =
    `The SPF policy of ${root.domain} does not contain ${wanted}, and ${redirect} has no effect because of ${all}. ` +
    `Add ${wanted} before "all", or remove ${all} if the redirect leads to it.`
  return { diagnosis: 'spf_behind_all', text }
}

function isMechanismWithEquals(term: SpfTerm): boolean {
  return term.kind === 'unknown_modifier' && ['include', 'ip4', 'ip6'].includes(term.name.toLowerCase())
}
