/** What keeps an SPF policy from letting our mail pass, in words, where more can be said than that it is so. */
import { describeSyntaxProblem } from '../spf/describe-syntax-problem.ts'
import { describeNode, describeTerm } from '../spf/describe-tree-problem.ts'
import { printable } from '../spf/printable-text.ts'
import type { TermPath } from '../spf/required-walk.ts'
import type { SpfTerm } from '../spf/spf-term.ts'
import type { SpfNode, SpfTree } from '../spf/spf-tree.ts'
import type { Problem } from './verdict.ts'

/** More than these are not told at once. */
const PROBLEMS_MAX = 3

/** Something makes receivers give up before they come to what is `wanted`; the path leads there. */
export function describeBroken({ root }: SpfTree, wanted: string, path: TermPath): Problem {
  const [first] = path
  if (!first) return describeOwnRecord(root)
  const child = path.at(-1)?.child
  const steps = path.map(({ term }) => printable(term.text)).join(' -> ')
  if (child?.policy.kind === 'loop') {
    const text =
      `The SPF policy of ${root.domain} leads back to itself (${steps}), so receivers give up before they come to ` +
      `${wanted}. Remove ${printable(first.term.text)}.`
    return { diagnosis: 'spf_loop', text }
  }
  const fault = (child && describeNode(child)) ?? `${path.at(-1) ? describeTerm(path.at(-1) ?? first).join(', ') : ''}.`
  const text =
    `Receivers give up on the SPF policy of ${root.domain} before they come to ${wanted}, because of ${steps}: ${fault} ` +
    `Remove ${printable(first.term.text)}, or see to it that it is corrected.`
  return { diagnosis: 'spf_broken', text }
}

/** The customer has done everything right. `path` leads to what is required. */
export function describeOperatorFault({ root }: SpfTree, path: TermPath): Problem {
  const fault = path.map(({ child }) => child && describeNode(child)).find((found) => found !== undefined) ?? ''
  const text =
    `The SPF record of ${root.domain} is as it should be, but receivers give up on what it includes: ${fault} ` +
    'This is for the operator of this service to mend; there is nothing to change in your DNS.'
  return { diagnosis: 'operator_spf', text, type: 'CONFIG' }
}

/** RFC 7208 section 4.6: one mistake, and the whole record counts for nothing. */
function describeOwnRecord(root: SpfNode): Problem {
  const problems = root.policy.kind === 'record' ? root.policy.record.problems : []
  const told = problems.slice(0, PROBLEMS_MAX).map(describeSyntaxProblem).join(' ')
  const text = `The SPF record of ${root.domain} has a mistake, and receivers ignore the whole record because of it: ${told} Correct that or remove it.`
  return { diagnosis: 'spf_broken', text }
}

/** What is wanted is missing; where something stands for it that has no effect, that is the reason. */
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
  // Section 6.1: beside `all` a redirect counts for nothing, though what is wanted may well be behind it.
  const [redirect, all] = [printable(ignored.term.text), printable(ignored.behind?.text ?? 'all')]
  const text =
    `The SPF policy of ${root.domain} does not hold ${wanted}, and ${redirect} in it has no effect because of ${all}. ` +
    `Add ${wanted} before "all", or remove ${all} if the redirect leads to it.`
  return { diagnosis: 'spf_behind_all', text }
}

function isMechanismWithEquals(term: SpfTerm): boolean {
  return term.kind === 'unknown_modifier' && ['include', 'ip4', 'ip6'].includes(term.name.toLowerCase())
}
