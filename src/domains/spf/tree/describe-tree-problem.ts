/** Describes problems of the policies and terms in an SPF tree. */

import { printable } from '../../printable-text.ts'
import { describeSyntaxProblem } from '../syntax/describe-syntax-problem.ts'
import type { SpfNode, SpfTermProblem, SpfTreeTerm } from './spf-tree.ts'

/** RFC 7208 7.1 allows all visible characters in a name, but nobody publishes such names: `https://spf.example`. */
const HOST_NAME = /^[a-z0-9._-]+$/i

/** Maximum number of syntax errors to list. */
const PROBLEMS_MAX = 3

/** Undefined if there is no problem. */
export function describeNode({ domain, policy }: SpfNode): string | undefined {
  const name = printable(domain)
  switch (policy.kind) {
    case 'record': {
      const { problems } = policy.record
      if (problems.length === 0) return undefined
      return `In the SPF record of ${name}, ${problems.slice(0, PROBLEMS_MAX).map(describeSyntaxProblem).join(' ')}`
    }
    case 'no_such_name':
      return HOST_NAME.test(domain) ? `${name} does not exist.` : `"${name}" is not a host name.`
    case 'no_record':
      return `${name} has no SPF record.`
    case 'several_records':
      return `${name} has ${policy.records.length} SPF records, but only one is allowed.`
    case 'alias_loop':
      return `${name} cannot be resolved: ${printable(policy.reason)}.`
    case 'unreachable':
      return `The DNS query for ${name} failed: ${printable(policy.reason)}.`
    case 'loop':
      return `The policy of ${name} leads back to itself: a loop.`
    case 'too_large':
    case 'not_followed':
      return `${name} was not checked: the policy is too large.`
  }
}

/** Remarks on a term, but not on the policy that it leads to; most of them are mistakes. */
export function describeTerm({ term, behind, problem, voidFor, child }: SpfTreeTerm): readonly string[] {
  if (behind !== undefined) {
    const blocking = printable(behind.text)
    return [term.kind === 'redirect' ? `ignored because of ${blocking}` : `never reached: comes after ${blocking}`]
  }
  const remarks = problem === undefined ? [] : [describeTermProblem(problem)]
  // Names with addresses of only one family are common, and void only for senders of the other.
  const isVoid = voidFor.length === 2 && child === undefined
  return isVoid ? [...remarks, 'void lookup: no records found'] : remarks
}

function describeTermProblem(problem: SpfTermProblem): string {
  switch (problem.kind) {
    case 'malformed_target':
      return `${printable(problem.text)} is not a valid DNS name`
    case 'depends_on_message':
      return `depends on the message (${problem.letters.map((letter) => `%{${letter}}`).join(', ')})`
    case 'too_many_exchanges':
      return `${problem.count} mail exchangers, but receivers check only 10 and then stop`
    case 'alias_loop':
      return `cannot be resolved: ${printable(problem.reason)}`
    case 'unreachable':
      return `DNS query failed: ${printable(problem.reason)}`
    case 'not_followed':
      return 'not checked: the policy is too large'
  }
}
