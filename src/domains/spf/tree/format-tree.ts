/** The tree of an SPF policy as lines of plain text. */

import { printable } from '../../printable-text.ts'
import { describeNode, describeTerm } from './describe-tree-problem.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from './spf-limits.ts'
import type { SpfNode, SpfTree, SpfTreeTerm } from './spf-tree.ts'

/** A longer run of networks is summarized: large policies consist mostly of networks. */
const NETWORKS_LISTED_MAX = 4

interface Branch {
  readonly text: string
  readonly child?: SpfNode
}

/** The number in parentheses is that of the lookup. */
export function formatTree(tree: SpfTree): readonly string[] {
  return [formatNode(tree.root), ...formatBranches(tree.root, ''), ...formatTotals(tree)]
}

function formatNode(node: SpfNode): string {
  const remark = describeNode(node)
  return remark === undefined ? printable(node.domain) : `${printable(node.domain)}  ! ${remark}`
}

function formatBranches(node: SpfNode, indent: string): readonly string[] {
  const branches = listBranches(node)
  return branches.flatMap(({ text, child }, index) => {
    const isLast = index === branches.length - 1
    const line = `${indent}${isLast ? '└─' : '├─'} ${text}`
    return child === undefined ? [line] : [line, ...formatBranches(child, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}

function listBranches({ policy, terms }: SpfNode): readonly Branch[] {
  if (policy.kind === 'several_records') return policy.records.map(({ text }) => ({ text: printable(text) }))
  return listRuns(terms).flatMap((run) => {
    const [first] = run
    if (first === undefined || run.length <= NETWORKS_LISTED_MAX) return run.map(formatTerm)
    return [{ text: `${printable(first.term.text)} and ${run.length - 1} more networks` }]
  })
}

/** Runs of plain networks; every other term is its own run. */
function listRuns(terms: readonly SpfTreeTerm[]): readonly (readonly SpfTreeTerm[])[] {
  const runs: SpfTreeTerm[][] = []
  for (const treeTerm of terms) {
    const run = runs.at(-1)
    const isLonger = run?.[0] && isPlainNetwork(run[0]) && isPlainNetwork(treeTerm)
    if (isLonger) run.push(treeTerm)
    else runs.push([treeTerm])
  }
  return runs
}

function isPlainNetwork({ term, behind }: SpfTreeTerm): boolean {
  return behind === undefined && 'network' in term && term.qualifier === '+'
}

function formatTerm(treeTerm: SpfTreeTerm): Branch {
  const { term, lookup, child } = treeTerm
  const remarks = [...describeTerm(treeTerm), ...[child && describeNode(child)].filter((fault) => fault !== undefined)]
  const number = lookup === undefined ? '' : `  (${lookup})`
  const remark = remarks.length === 0 ? '' : `  ! ${remarks.join('; ')}`
  return { text: `${printable(term.text)}${number}${remark}`, ...(child && { child }) }
}

function formatTotals({ root, lookups, voidLookups, isComplete }: SpfTree): readonly string[] {
  if (root.policy.kind !== 'record') return []
  const { ip4, ip6 } = voidLookups
  const others = ip4 === ip6 ? '' : ` (${ip6} for senders with IPv6)`
  const atLeast = isComplete ? '' : 'at least '
  return [`${atLeast}${lookups} of ${LOOKUPS_MAX} lookups, ${ip4} of ${VOID_LOOKUPS_MAX} void lookups${others}`]
}
