/** Warnings about an SPF policy that works. */

import { printable } from '../../printable-text.ts'
import { listPaths } from '../../spf/required/required-walk.ts'
import { describeNode } from '../../spf/tree/describe-tree-problem.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../../spf/tree/spf-limits.ts'
import type { SpfNode, SpfTree } from '../../spf/tree/spf-tree.ts'
import type { Caution, Problem } from '../judging/verdict.ts'
import { describeJoined } from './spf-words.ts'

/** Maximum number of problems to list. */
const FAULTS_MAX = 3

export function listSpfWarnings(tree: SpfTree): readonly string[] {
  const { root } = tree
  const cautions = listSpfCautions(tree).map(({ text }) => text)
  return [...cautions, ...listEndings(root), ...listOwnTerms(root), ...listFaults(root)]
}

/** Mistakes that make receivers stop after they have reached the required mechanism. */
export function listSpfCautions(tree: SpfTree): readonly Caution[] {
  const limits = listLimits(tree).map(({ diagnosis, text }) => ({ diagnosis, text: `${text} ${ONLY_BECAUSE}` }))
  const joined = describeJoined(tree)
  return joined ? [...limits, joined] : limits
}

const ONLY_BECAUSE =
  'Mail sent through this service passes only because the required mechanism is evaluated before that.'

/** The limits of RFC 7208 4.6.4 that some senders exceed. */
export function listLimits({ root: { domain }, lookups, voidLookups }: SpfTree): readonly Problem[] {
  const voids = Math.max(voidLookups.ip4, voidLookups.ip6)
  const tooMany = `The SPF policy of ${domain} needs ${lookups} DNS lookups, but only ${LOOKUPS_MAX} are allowed: senders listed beyond that limit get a permanent error (permerror). Remove terms that are no longer needed.`
  const tooManyVoid = `The SPF policy of ${domain} has ${voids} void lookups (names without records), but only ${VOID_LOOKUPS_MAX} are allowed. Remove the names that no longer exist.`
  return [
    ...(lookups > LOOKUPS_MAX ? [{ diagnosis: 'spf_lookups', text: tooMany } as const] : []),
    ...(voids > VOID_LOOKUPS_MAX ? [{ diagnosis: 'spf_void_lookups', text: tooManyVoid } as const] : []),
  ]
}

function listEndings({ domain, terms }: SpfNode): readonly string[] {
  const record = `The SPF record of ${domain}`
  const all = terms.map(({ term }) => term).find((term) => term.kind === 'all')
  if (all?.kind === 'all' && all.qualifier === '+') {
    return [`${record} ends in "${printable(all.text)}", which lets anyone send in its name. Write ~all or -all.`]
  }
  if (all?.kind === 'all' && all.qualifier === '?') {
    return [`${record} ends in "?all", which says nothing about other senders. Write ~all or -all.`]
  }
  if (all || terms.some(({ term }) => term.kind === 'redirect')) return []
  return [`${record} has no "all" at its end, so it says nothing about other senders. Add ~all.`]
}

/** Only for the domain's own record, which its owner can change. */
function listOwnTerms({ domain, terms }: SpfNode): readonly string[] {
  return terms.flatMap(({ term, behind }) => {
    const text = printable(term.text)
    if (behind) {
      return [`In the SPF record of ${domain}, ${text} has no effect: it comes after ${printable(behind.text)}.`]
    }
    // RFC 7208 section 5.5.
    const isSlow = term.kind === 'ptr'
    return isSlow ? [`The SPF record of ${domain} uses ${text}, which is slow and should not be used.`] : []
  })
}

/** Problems in branches that our mail does not depend on. */
function listFaults(root: SpfNode): readonly string[] {
  const children = [...listPaths(root)].flatMap((path) => path.at(-1)?.child ?? [])
  const faults = children.map(describeNode).filter((fault) => fault !== undefined)
  const shown = faults.slice(0, FAULTS_MAX).map((fault) => `In the SPF policy of ${root.domain}: ${fault}`)
  return faults.length > FAULTS_MAX ? [...shown, `There are ${faults.length - FAULTS_MAX} more such problems.`] : shown
}
