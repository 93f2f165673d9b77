/** Judges whether the whole SPF policy of a domain lets our mail pass. */
import type { DnsAlias } from '../../dns-resolver.ts'
import { describeRequired } from '../../spf/required/describe-required.ts'
import { findRequired, type RequiredOutcome, type SpfObstacle } from '../../spf/required/find-required.ts'
import type { TermPath } from '../../spf/required/required-walk.ts'
import { type SpfRequirement, writeRequirement } from '../../spf/required/spf-requirement.ts'
import { splitJoined } from '../../spf/syntax/joined-terms.ts'
import { readSpfTree } from '../../spf/tree/read-spf-tree.ts'
import type { SpfDnsAnswer } from '../../spf/tree/spf-dns.ts'
import type { SpfTree } from '../../spf/tree/spf-tree.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import type { Problem } from '../judging/verdict.ts'
import { judgeWhole } from './spf-whole.ts'
import { describeBroken, describeJoined, describeOperatorFault, describeWithoutEffect } from './spf-words.ts'

export interface SpfJudgement {
  readonly tree: SpfTree
  /** Absent exactly if all required mechanisms take effect. */
  readonly problem?: Problem
  /** With a problem: the query failed or the operator is at fault, not the domain. */
  readonly isUnknown: boolean
  /** With a problem: the term of the domain's own record that should be removed, as published. */
  readonly faultyTerm?: string
}

/** `terms`: the required mechanisms; if empty, the policy must only be valid. `answer`: the TXT records to assume. */
export async function judgeSpf(
  domain: string,
  answer: SpfDnsAnswer,
  terms: readonly string[],
  inquiry: Inquiry,
): Promise<SpfJudgement> {
  // A check judges a policy up to about twenty times: for each server that differs, and for each suggestion.
  await inquiry.turn.share()
  // The CNAMEs from each name.
  const aliases = new Map<string, readonly DnsAlias[]>()
  const tree = await readSpfTree(domain, async (name, type) => {
    if (name === domain && type === 'TXT') return answer
    const found = await inquiry.resolve(name, type)
    aliases.set(name, found.aliases)
    // No receiver finds a record at a name that cannot be queried, so this is a mistake in the policy, not a failed query.
    return found.kind === 'unreachable' && found.failure === 'bad_name' ? { kind: 'no_such_name' } : found
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
  aliases: ReadonlyMap<string, readonly DnsAlias[]>,
): RequiredOutcome {
  const outcome = findRequired(tree, requirement)
  if (outcome.isEffective || !('include' in requirement)) return outcome
  const names = [...aliases].filter(([, chain]) => chain.some(({ target }) => target === requirement.include))
  return names.map(([include]) => findRequired(tree, { include })).find(({ isEffective }) => isEffective) ?? outcome
}

function explain(tree: SpfTree, requirement: SpfRequirement, obstacle: SpfObstacle): SpfJudgement {
  if (obstacle.reason === 'broken' && isInRequired(requirement, obstacle.stop.path)) {
    return { tree, problem: describeOperatorFault(tree, obstacle.stop.path), isUnknown: true }
  }
  const faultyTerm = findFaultyTerm(tree, obstacle)
  const joined = findJoined(tree, obstacle)
  return {
    tree,
    problem: joined ?? describe(tree, requirement, obstacle),
    isUnknown: !joined && obstacle.reason === 'unknown',
    ...(faultyTerm !== undefined && { faultyTerm }),
  }
}

/** The required mechanism is reached, but the policy that it includes is broken. */
function isInRequired(requirement: SpfRequirement, path: TermPath): boolean {
  return 'include' in requirement && path.some(({ child }) => child?.domain === requirement.include)
}

/** Joined terms of the domain's own record, if they can be the reason why the required mechanism has no effect. */
function findJoined(tree: SpfTree, obstacle: SpfObstacle): Problem | undefined {
  const { reason } = obstacle
  // Joined terms are not names: a failed query for them is not an outage.
  const isTheirs = reason === 'unknown' && obstacle.paths.every(([own]) => own && splitJoined(own.term.text))
  return reason === 'broken' || reason === 'missing' || isTheirs ? describeJoined(tree) : undefined
}

function describe(tree: SpfTree, requirement: SpfRequirement, obstacle: SpfObstacle): Problem {
  const wanted = writeRequirement(requirement)
  if (obstacle.reason === 'broken') return describeBroken(tree, wanted, obstacle.stop.path)
  const better = obstacle.reason === 'missing' ? describeWithoutEffect(tree, wanted) : undefined
  const isLimited = obstacle.reason === 'unknown' && obstacle.isLimited
  const diagnosis = isLimited ? 'check_limit' : DIAGNOSIS['stop' in obstacle ? obstacle.stop.kind : obstacle.reason]
  return better ?? { diagnosis, text: describeRequired(tree, requirement, obstacle) }
}

/** By the reason, or by the kind of the stop if there is one. */
const DIAGNOSIS = {
  no_policy: 'no_spf',
  missing: 'spf_missing',
  behind_all: 'spf_behind_all',
  wrong_qualifier: 'spf_qualifier',
  too_many_lookups: 'spf_lookups',
  too_many_void_lookups: 'spf_void_lookups',
  broken: 'spf_broken',
  several_records: 'several_spf',
  unknown: 'no_answer',
} as const

/** With too many lookups, no single term is at fault. */
function findFaultyTerm({ root: { policy } }: SpfTree, obstacle: SpfObstacle): string | undefined {
  if (!('stop' in obstacle) || obstacle.stop.kind === 'too_many_lookups') return undefined
  const [first] = obstacle.stop.path
  if (first) return first.term.text
  return policy.kind === 'record' ? policy.record.problems[0]?.term : undefined
}

function toRequirement(term: string): SpfRequirement {
  const [, kind = '', value = ''] = /^\+?(include|ip4|ip6):(.*)$/i.exec(term) ?? []
  if (kind.toLowerCase() === 'ip4') return { ip4: value }
  if (kind.toLowerCase() === 'ip6') return { ip6: value }
  return { include: value.toLowerCase().replace(/\.$/, '') }
}
