/** check_host() of RFC 7208 section 4: whether a domain's policy lets an address send. */
import { Evaluation, EvaluationStop, type TermInPlace } from './evaluation.ts'
import { expandTarget } from './expand-target.ts'
import { findExplanation } from './explanation.ts'
import { matchMechanism } from './match-mechanism.ts'
import { selectPolicy } from './policy.ts'
import type { SpfDns, SpfDnsAnswer } from './spf-dns.ts'
import type { SpfRecord } from './spf-record.ts'
import { isMechanism, type SpfInclude, type SpfMechanism, type SpfQualifier, type SpfRedirect } from './spf-term.ts'
import type { SpfQuestion, SpfResult, SpfVerdict } from './spf-verdict.ts'
import { toDomainName } from './target-name.ts'

/** Always ends: at most ten terms ask DNS, each a bounded number of questions. */
export async function checkHost(question: SpfQuestion, dns: SpfDns): Promise<SpfVerdict> {
  const evaluation = new Evaluation(question, dns)
  try {
    const finding = await evaluate(evaluation, toDomainName(question.domain))
    const { result, decidedBy, record } = finding
    const explanation =
      result === 'fail' && decidedBy !== undefined && record !== undefined
        ? await findExplanation(evaluation, decidedBy.domain, record)
        : undefined
    return {
      result,
      ...(decidedBy !== undefined && { decidedBy }),
      ...(explanation !== undefined && { explanation }),
      ...countsOf(evaluation),
    }
  } catch (error) {
    if (!(error instanceof EvaluationStop)) throw error
    return { result: error.result, problem: error.problem, ...countsOf(evaluation) }
  }
}

/** Section 2.4: which domain and sender to check for a MAIL FROM, which may be empty. */
export function identityOf(mailFrom: string, helo: string): { readonly domain: string; readonly sender: string } {
  const sender = mailFrom === '' ? `postmaster@${helo}` : mailFrom
  return { domain: sender.slice(sender.lastIndexOf('@') + 1), sender }
}

interface Finding {
  readonly result: Exclude<SpfResult, 'temperror' | 'permerror'>
  readonly decidedBy?: { readonly domain: string; readonly term: SpfMechanism }
  /** The record of the term that decided; its explanation counts, not that of a record which it includes (section 6.2). */
  readonly record?: SpfRecord
}

const RESULT_OF: Readonly<Record<SpfQualifier, 'pass' | 'fail' | 'softfail' | 'neutral'>> = {
  '+': 'pass',
  '-': 'fail',
  '~': 'softfail',
  '?': 'neutral',
}

/** `by`: the include or redirect that led here, to which a void answer is counted. */
async function evaluate(evaluation: Evaluation, domain: string | undefined, by?: TermInPlace): Promise<Finding> {
  if (domain === undefined) return { result: 'none' }
  const answer = await (by === undefined ? evaluation.ask(domain, 'TXT') : evaluation.askFor(by, domain, 'TXT'))
  const record = requireRecord(domain, answer)
  if (record === undefined) return { result: 'none' }
  for (const term of record.terms) {
    if (isMechanism(term) && (await matches(evaluation, domain, term))) {
      return { result: RESULT_OF[term.qualifier], decidedBy: { domain, term }, record }
    }
  }
  // "all" always matches, so a redirect beside it is never come to (section 5.1).
  const redirect = record.terms.find((term) => term.kind === 'redirect')
  return redirect === undefined ? { result: 'neutral' } : evaluateTarget(evaluation, { domain, term: redirect })
}

function requireRecord(domain: string, answer: SpfDnsAnswer): SpfRecord | undefined {
  const policy = selectPolicy(answer)
  switch (policy.kind) {
    case 'no_such_name':
    case 'no_record':
      return undefined
    case 'several_records':
      throw new EvaluationStop('permerror', { kind: 'several_records', domain })
    case 'alias_loop':
    case 'unreachable':
      throw new EvaluationStop('temperror', { kind: 'dns', name: domain, reason: policy.reason })
    case 'record':
      if (policy.record.problems.length === 0) return policy.record
      throw new EvaluationStop('permerror', { kind: 'syntax', domain, problems: policy.record.problems })
  }
}

async function matches(evaluation: Evaluation, domain: string, term: SpfMechanism): Promise<boolean> {
  if (term.kind !== 'include') return matchMechanism(evaluation, domain, term)
  // Section 5.2: of the results that are no errors, "pass" matches and the others do not.
  const { result } = await evaluateTarget(evaluation, { domain, term })
  return result === 'pass'
}

/** The policy that an include or a redirect leads to. Sections 5.2 and 6.1: to find none there is an error. */
async function evaluateTarget(
  evaluation: Evaluation,
  place: TermInPlace & { readonly term: SpfInclude | SpfRedirect },
): Promise<Finding> {
  const { domain, term } = place
  evaluation.countLookup(place)
  const target = await expandTarget(evaluation, place, term.domainSpec)
  if (target.kind === 'unmatchable') return { result: 'neutral' }
  if (target.kind === 'malformed') {
    throw new EvaluationStop('permerror', { kind: 'malformed_target', domain, term: term.text })
  }
  const finding = await evaluate(evaluation, target.name, place)
  if (finding.result !== 'none') return finding
  throw new EvaluationStop('permerror', { kind: 'no_policy', domain: target.name, term: term.text })
}

function countsOf({ lookups, voidLookups }: Evaluation) {
  return { lookups, voidLookups }
}
