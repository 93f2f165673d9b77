/** Whether the SPF policy of a domain lets our mail pass, by its whole tree. */
import type { DnsAnswer } from '../dns-resolver.ts'
import { describeRequired } from '../spf/describe-required.ts'
import { findRequired, type RequiredOutcome } from '../spf/find-required.ts'
import { type SpfRequirement, writeRequirement } from '../spf/spf-requirement.ts'
import { readSpfTree, type SpfTree } from '../spf/spf-tree.ts'
import type { DiagnosisCode } from './diagnosis.ts'
import type { Inquiry } from './inquiry.ts'
import { judgeWhole } from './spf-whole.ts'
import { describeBroken, describeOperatorFault, describeWithoutEffect } from './spf-words.ts'
import type { Problem } from './verdict.ts'

export interface SpfJudgement {
  readonly tree: SpfTree
  /** Absent exactly when all that is required takes effect. */
  readonly problem?: Problem
  /** With a problem: it is none of the domain's, but one of asking or of the operator's. */
  readonly isUnknown: boolean
  /** With a problem: the term of the domain's own record that should go, as it is written. */
  readonly faultyTerm?: string
}

type Ineffective = Extract<RequiredOutcome, { readonly isEffective: false }>

/** `terms`: what must take effect, as written in a record; without any the policy itself must be sound. The answer is taken for what the domain's TXT records are. */
export async function judgeSpf(
  domain: string,
  answer: DnsAnswer<'TXT'>,
  terms: readonly string[],
  inquiry: Inquiry,
): Promise<SpfJudgement> {
  // Names that are CNAMEs, with where they lead.
  const aliases = new Map<string, readonly string[]>()
  const tree = await readSpfTree(domain, async (name, type) => {
    if (name === domain && type === 'TXT') return answer
    const found = await inquiry.resolve(name, type)
    if (found.aliases.length > 0)
      aliases.set(
        name,
        found.aliases.map(({ target }) => target),
      )
    return found
  })
  if (terms.length === 0) return { tree, ...judgeWhole(tree) }
  for (const requirement of terms.map(toRequirement)) {
    const outcome = findEffective(tree, requirement, aliases)
    if (!outcome.isEffective) return explain(tree, requirement, outcome)
  }
  return { tree, isUnknown: false }
}

/** To include a name that is a CNAME for the required one is as good. */
function findEffective(
  tree: SpfTree,
  requirement: SpfRequirement,
  aliases: ReadonlyMap<string, readonly string[]>,
): RequiredOutcome {
  const outcome = findRequired(tree, requirement)
  if (outcome.isEffective || !('include' in requirement)) return outcome
  const names = [...aliases].filter(([, targets]) => targets.includes(requirement.include)).map(([name]) => name)
  return names.map((include) => findRequired(tree, { include })).find(({ isEffective }) => isEffective) ?? outcome
}

function explain(tree: SpfTree, requirement: SpfRequirement, outcome: Ineffective): SpfJudgement {
  if (isBrokenBehindRequired(requirement, outcome)) {
    return { tree, problem: describeOperatorFault(tree, outcome.stop.path), isUnknown: true }
  }
  const faultyTerm = findFaultyTerm(tree, outcome)
  return {
    tree,
    problem: describe(tree, requirement, outcome),
    isUnknown: outcome.reason === 'unknown',
    ...(faultyTerm !== undefined && { faultyTerm }),
  }
}

/** What is required is there and come to; it is not good itself. */
function isBrokenBehindRequired(
  requirement: SpfRequirement,
  outcome: Ineffective,
): outcome is Extract<Ineffective, { readonly reason: 'broken' }> {
  if (outcome.reason !== 'broken' || !('include' in requirement)) return false
  return outcome.stop.path.some(({ child }) => child?.domain === requirement.include)
}

function describe(tree: SpfTree, requirement: SpfRequirement, outcome: Ineffective): Problem {
  const wanted = writeRequirement(requirement)
  if (outcome.reason === 'broken') return describeBroken(tree, wanted, outcome.stop.path)
  const better = outcome.reason === 'missing' ? describeWithoutEffect(tree, wanted) : undefined
  return better ?? { diagnosis: DIAGNOSIS[outcome.reason](outcome), text: describeRequired(tree, requirement, outcome) }
}

const DIAGNOSIS: Readonly<Record<Exclude<Ineffective['reason'], 'broken'>, (outcome: Ineffective) => DiagnosisCode>> = {
  no_policy: () => 'no_spf',
  missing: () => 'spf_missing',
  behind_all: () => 'spf_behind_all',
  wrong_qualifier: () => 'spf_qualifier',
  beyond_limit: (outcome) => (isAboutVoidLookups(outcome) ? 'spf_void_lookups' : 'spf_lookups'),
  several_records: () => 'several_spf',
  unknown: () => 'no_answer',
}

function isAboutVoidLookups(outcome: Ineffective): boolean {
  return 'stop' in outcome && outcome.stop.kind === 'too_many_void_lookups'
}

/** Too many lookups are nobody's fault in particular. */
function findFaultyTerm({ root: { policy } }: SpfTree, outcome: Ineffective): string | undefined {
  if (!('stop' in outcome) || outcome.stop.kind === 'too_many_lookups') return undefined
  const [first] = outcome.stop.path
  if (first) return first.term.text
  return policy.kind === 'record' ? policy.record.problems[0]?.term : undefined
}

function toRequirement(term: string): SpfRequirement {
  const [, kind = '', value = ''] = /^\+?(include|ip4|ip6):(.*)$/i.exec(term) ?? []
  switch (kind.toLowerCase()) {
    case 'ip4':
      return { ip4: value }
    case 'ip6':
      return { ip6: value }
    default:
      return { include: value.toLowerCase().replace(/\.$/, '') }
  }
}
