/** Whether the SPF policy of a domain lets our mail pass, by its whole tree. */
import type { DnsAnswer } from '../dns-resolver.ts'
import { describeRequired } from '../spf/describe-required.ts'
import { findRequired, type RequiredOutcome } from '../spf/find-required.ts'
import type { SpfDns } from '../spf/spf-dns.ts'
import type { SpfRequirement } from '../spf/spf-requirement.ts'
import { readSpfTree, type SpfTree } from '../spf/spf-tree.ts'
import type { DiagnosisCode } from './diagnosis.ts'
import type { Problem } from './verdict.ts'

export interface SpfJudgement {
  readonly tree: SpfTree
  /** Absent exactly when all that is required takes effect. */
  readonly problem?: Problem
  /** With a problem: it is one of asking. */
  readonly isUnknown: boolean
}

/** `terms`: what must take effect, as written in a record. The answer is taken for what the domain's TXT records are. */
export async function judgeSpf(
  domain: string,
  answer: DnsAnswer<'TXT'>,
  terms: readonly string[],
  ask: SpfDns,
): Promise<SpfJudgement> {
  const tree = await readSpfTree(domain, async (name, type) =>
    name === domain && type === 'TXT' ? answer : ask(name, type),
  )
  for (const requirement of terms.map(toRequirement)) {
    const outcome = findRequired(tree, requirement)
    if (outcome.isEffective) continue
    const text = describeRequired(tree, requirement, outcome)
    return { tree, problem: { diagnosis: diagnose(outcome), text }, isUnknown: outcome.reason === 'unknown' }
  }
  return { tree, isUnknown: false }
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

function diagnose(outcome: Extract<RequiredOutcome, { readonly isEffective: false }>): DiagnosisCode {
  switch (outcome.reason) {
    case 'no_policy':
      return 'no_spf'
    case 'missing':
      return 'spf_missing'
    case 'behind_all':
      return 'spf_behind_all'
    case 'wrong_qualifier':
      return 'spf_qualifier'
    case 'beyond_limit':
      return outcome.stop.kind === 'too_many_void_lookups' ? 'spf_void_lookups' : 'spf_lookups'
    case 'broken':
      return outcome.stop.path.at(-1)?.child?.policy.kind === 'loop' ? 'spf_loop' : 'spf_broken'
    case 'several_records':
      return 'several_spf'
    case 'unknown':
      return 'no_answer'
  }
}
