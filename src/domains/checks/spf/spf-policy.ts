/** Judges whether the whole SPF policy of a domain lets our mail pass. */
import type { DnsAnswer } from '../../dns-resolver.ts'
import { describeRequired } from '../../spf/required/describe-required.ts'
import { findRequired, type RequiredOutcome } from '../../spf/required/find-required.ts'
import { type SpfRequirement, writeRequirement } from '../../spf/required/spf-requirement.ts'
import { readSpfTree } from '../../spf/tree/read-spf-tree.ts'
import type { SpfTree } from '../../spf/tree/spf-tree.ts'
import type { DiagnosisCode } from '../judging/diagnosis.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import type { Problem } from '../judging/verdict.ts'
import { judgeWhole } from './spf-whole.ts'
import { describeBroken, describeOperatorFault, describeWithoutEffect } from './spf-words.ts'

export interface SpfJudgement {
  readonly tree: SpfTree
  /** Absent exactly if all required mechanisms take effect. */
  readonly problem?: Problem
  /** With a problem: the query failed or the operator is at fault, not the domain. */
  readonly isUnknown: boolean
  /** With a problem: the term of the domain's own record that should be removed, as published. */
  readonly faultyTerm?: string
}

type Ineffective = Extract<RequiredOutcome, { readonly isEffective: false }>

/** `terms`: the required mechanisms; if empty, the policy must only be valid. `answer`: the TXT records to assume. */
export async function judgeSpf(
  domain: string,
  answer: DnsAnswer<'TXT'>,
  terms: readonly string[],
  inquiry: Inquiry,
): Promise<SpfJudgement> {
  // The CNAME targets of each name.
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

/** Including a CNAME for the required name is equivalent. */
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

/** The required mechanism is reached, but the policy that it includes is broken. */
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

/** With too many lookups, no single term is at fault. */
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
