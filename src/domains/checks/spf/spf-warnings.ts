/** Warnings about an SPF policy that works. */

import { printable } from '../../printable-text.ts'
import { describeNode } from '../../spf/tree/describe-tree-problem.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../../spf/tree/spf-limits.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from '../../spf/tree/spf-tree.ts'

/** Maximum number of problems to list. */
const FAULTS_MAX = 3

export function listSpfWarnings(tree: SpfTree): readonly string[] {
  return [...listLimits(tree), ...listEndings(tree.root), ...listOwnTerms(tree.root), ...listFaults(tree.root)]
}

function listLimits({ root: { domain }, lookups, voidLookups }: SpfTree): readonly string[] {
  const voids = Math.max(voidLookups.ip4, voidLookups.ip6)
  return [
    ...(lookups > LOOKUPS_MAX ? [describeLookups(domain, lookups)] : []),
    ...(voids > VOID_LOOKUPS_MAX ? [describeVoidLookups(domain, voids)] : []),
  ]
}

export function describeLookups(domain: string, lookups: number): string {
  return `The SPF policy of ${domain} needs ${lookups} DNS lookups, but only ${LOOKUPS_MAX} are allowed: senders listed beyond that limit get a permanent error (permerror). Remove terms that are no longer needed.`
}

export function describeVoidLookups(domain: string, voids: number): string {
  return `The SPF policy of ${domain} has ${voids} void lookups (names without records), but only ${VOID_LOOKUPS_MAX} are allowed. Remove the names that no longer exist.`
}

function listEndings({ domain, terms }: SpfNode): readonly string[] {
  const all = terms.map(({ term }) => term).find((term) => term.kind === 'all')
  const hasRedirect = terms.some(({ term }) => term.kind === 'redirect')
  if (all?.kind === 'all' && all.qualifier === '+') {
    return [
      `The SPF record of ${domain} ends in "${printable(all.text)}", which lets anyone send in its name. Write ~all or -all.`,
    ]
  }
  if (all?.kind === 'all' && all.qualifier === '?') {
    return [`The SPF record of ${domain} ends in "?all", which says nothing about other senders. Write ~all or -all.`]
  }
  if (all || hasRedirect) return []
  return [`The SPF record of ${domain} has no "all" at its end, so it says nothing about other senders. Add ~all.`]
}

/** Only for the domain's own record, which its owner can change. */
function listOwnTerms({ domain, terms }: SpfNode): readonly string[] {
  return terms.flatMap(({ term, behind }) => {
    const text = printable(term.text)
    if (behind) {
      return [`In the SPF record of ${domain}, ${text} has no effect: it comes after ${printable(behind.text)}.`]
    }
    // RFC 7208 section 5.5.
    return term.kind === 'ptr'
      ? [`The SPF record of ${domain} uses ${text}, which is slow and should not be used.`]
      : []
  })
}

/** Problems in branches that our mail does not depend on. */
function listFaults(root: SpfNode): readonly string[] {
  const faults = root.terms.flatMap((term) => listFaultsBelow(term))
  const shown = faults.slice(0, FAULTS_MAX).map((fault) => `In the SPF policy of ${root.domain}: ${fault}`)
  return faults.length > FAULTS_MAX ? [...shown, `There are ${faults.length - FAULTS_MAX} more such problems.`] : shown
}

function listFaultsBelow({ child }: SpfTreeTerm): readonly string[] {
  if (!child) return []
  const fault = describeNode(child)
  return fault === undefined ? child.terms.flatMap(listFaultsBelow) : [fault]
}
