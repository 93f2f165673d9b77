/** What is wrong with a policy or a term in the tree of an SPF policy, in words. */
import { describeSyntaxProblem } from './describe-syntax-problem.ts'
import { printable } from './printable-text.ts'
import type { SpfNode, SpfTermProblem, SpfTreeTerm } from './spf-tree.ts'

/** Undefined where nothing is wrong. */
export function describeNode({ domain, policy }: SpfNode): string | undefined {
  const name = printable(domain)
  switch (policy.kind) {
    case 'record': {
      const { problems } = policy.record
      if (problems.length === 0) return undefined
      return `In the SPF record of ${name}, ${problems.map(describeSyntaxProblem).join(' ')}`
    }
    case 'no_such_name':
      return `${name} does not exist.`
    case 'no_record':
      return `${name} has no SPF record.`
    case 'several_records':
      return `${name} has ${policy.records.length} SPF records where one is allowed.`
    case 'alias_loop':
      return `${name} leads in a circle: ${printable(policy.reason)}.`
    case 'unreachable':
      return `DNS could not be asked for ${name}: ${printable(policy.reason)}.`
    case 'loop':
      return `${name} is one of the policies that lead here: a loop.`
    case 'not_followed':
      return `${name} was not looked at: the policy is too large.`
  }
}

/** Remarks on a term, those on the policy that it leads to aside; most of them are mistakes. */
export function describeTerm({ term, behind, problem, voidFor, child }: SpfTreeTerm): readonly string[] {
  if (behind !== undefined) {
    const blocking = printable(behind.text)
    return [term.kind === 'redirect' ? `ignored because of ${blocking}` : `never reached, behind ${blocking}`]
  }
  const remarks = problem === undefined ? [] : [describeTermProblem(problem)]
  // A name with addresses of one family only is common, and void only for senders of the other.
  const isVoid = voidFor.length === 2 && child === undefined
  return isVoid ? [...remarks, 'no answer: a void lookup'] : remarks
}

function describeTermProblem(problem: SpfTermProblem): string {
  switch (problem.kind) {
    case 'malformed_target':
      return `${printable(problem.text)} is no name that DNS can be asked for`
    case 'depends_on_message':
      return `depends on the message (${problem.letters.map((letter) => `%{${letter}}`).join(', ')})`
    case 'too_many_exchanges':
      return `${problem.count} mail exchangers, where receivers look at 10 and then give up`
    case 'alias_loop':
      return `leads in a circle: ${printable(problem.reason)}`
    case 'unreachable':
      return `DNS could not be asked: ${printable(problem.reason)}`
    case 'not_followed':
      return 'not looked at: the policy is too large'
  }
}
