/** Error texts for SPF policies that do not let our mail pass, where more details are known. */

import { printable } from '../../printable-text.ts'
import type { TermPath } from '../../spf/required/required-walk.ts'
import { describeSyntaxProblem, listQuoted } from '../../spf/syntax/describe-syntax-problem.ts'
import { listJoined } from '../../spf/syntax/joined-terms.ts'
import type { SpfTerm } from '../../spf/syntax/spf-term.ts'
import { describeNode, describeTerm } from '../../spf/tree/describe-tree-problem.ts'
import type { SpfNode, SpfTree } from '../../spf/tree/spf-tree.ts'
import type { Problem } from '../judging/verdict.ts'

/** Maximum number of syntax errors to list. */
const PROBLEMS_MAX = 3

/** The term at the end of `path` makes receivers stop before they reach `wanted`. */
export function describeBroken({ root }: SpfTree, wanted: string, path: TermPath): Problem {
  const [first, ...below] = path
  if (!first) return describeOwnRecord(root)
  const last = below.at(-1) ?? first
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
  const details = problems.slice(0, PROBLEMS_MAX).map(describeSyntaxProblem).join(' ')
  const remedy = `Correct or remove ${problems.length > 1 ? 'these terms' : 'this term'}.`
  const text = `The SPF record of ${root.domain} has a syntax error, so receivers ignore the whole record: ${details} ${remedy}`
  return { diagnosis: 'spf_broken', text }
}

/** Terms of the domain's own record that receivers read as one. Undefined if there are none. */
export function describeJoined({ root: { domain, policy } }: SpfTree): Problem | undefined {
  const joined = policy.kind === 'record' ? listJoined(policy.record.text) : []
  const places = joined.slice(0, PROBLEMS_MAX).map(({ terms, at }) => `${listQuoted(terms)} (at character ${at + 1})`)
  if (places.length === 0) return undefined
  const text =
    `In the SPF record of ${domain}, a space is missing between ${places.join(', and between ')}, so receivers read them as ` +
    'one term. Insert a space there. If the value consists of several quoted strings, they are joined without a space: end ' +
    'each string but the last with one.'
  return { diagnosis: 'spf_joined', text }
}

/** `wanted` is missing, and a term without effect may be the reason. */
export function describeWithoutEffect({ root }: SpfTree, wanted: string): Problem | undefined {
  const address = root.terms.find(({ term }) => isWebAddress(term, wanted))
  if (address) {
    const text =
      `The SPF record of ${root.domain} has a web address after include:, at character ${address.term.at + 1}; only a host name ` +
      `can be there. Write ${wanted} instead.`
    return { diagnosis: 'spf_missing', text }
  }
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

/** `include:https://spf.example/`. */
function isWebAddress({ text }: SpfTerm, wanted: string): boolean {
  return /^[+\-?~]?include:https?:/i.test(text) && text.toLowerCase().includes(wanted.replace(/^include:/, ''))
}
