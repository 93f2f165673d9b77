/** Explains why a required mechanism has no effect, for the person who can change the record. */

import { printable } from '../../printable-text.ts'
import { describeNode, describeTerm } from '../tree/describe-tree-problem.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from '../tree/spf-limits.ts'
import type { SpfTree } from '../tree/spf-tree.ts'
import type { SpfObstacle } from './find-required.ts'
import type { SpfStop, TermPath } from './required-walk.ts'
import { type SpfRequirement, writeRequirement } from './spf-requirement.ts'

/** Maximum number of failed queries to list. */
const FAULTS_MAX = 3

/** Of a policy that receivers can evaluate up to a limit; a broken one has more to explain. */
type Ineffective = Exclude<SpfObstacle, { readonly reason: 'broken' }>

/** The problem, and what to do about it. */
export function describeRequired(tree: SpfTree, requirement: SpfRequirement, outcome: Ineffective): string {
  const wanted = writeRequirement(requirement)
  const { domain } = tree.root
  switch (outcome.reason) {
    case 'no_policy':
      return `${domain} has no SPF record. Add one that contains ${wanted}.`
    case 'missing':
      return describeMissing(tree, wanted, outcome)
    case 'behind_all': {
      const remedy =
        outcome.path.length === 1
          ? `Move it before ${blocking(outcome.path)}.`
          : `Add ${wanted} to the record of ${domain}.`
      return `In the SPF policy of ${domain}, ${shown(outcome.path)} is never reached: it comes after ${blocking(outcome.path)}. ${remedy}`
    }
    case 'wrong_qualifier':
      return `The SPF policy of ${domain} contains ${shown(outcome.path)}: with the qualifier "${outcome.qualifier}" the mail does not pass. ${remedyOfQualifier(outcome.path, wanted)}`
    case 'beyond_limit':
      return describeLimit(tree, wanted, outcome.stop)
    case 'several_records': {
      const isInOne = outcome.foundIn.length > 0
      const remark = isInOne ? `${wanted} is in one of them. ` : `None of them contains ${wanted}. `
      return describeSeveral(domain, outcome.count, remark)
    }
    case 'unknown':
      return describeUnknown(tree, wanted, outcome)
  }
}

function describeUnknown(
  tree: SpfTree,
  wanted: string,
  { paths, isLimited }: Extract<SpfObstacle, { readonly reason: 'unknown' }>,
): string {
  const fact = `Whether ${wanted} takes effect in the SPF policy of ${tree.root.domain} could not be determined.`
  const faults = [...new Set(paths.map((path) => describeFault(tree, path)))].slice(0, FAULTS_MAX)
  const remedy = isLimited ? 'Remove terms that are no longer needed.' : 'Try again in a few minutes.'
  return [fact, ...faults, remedy].join(' ')
}

function describeMissing(
  { root: { domain } }: SpfTree,
  wanted: string,
  { isPartial, undecided }: Extract<SpfObstacle, { readonly reason: 'missing' }>,
): string {
  const fact = isPartial
    ? `The SPF policy of ${domain} lets only some of the addresses of ${wanted} pass.`
    : `The SPF policy of ${domain} does not contain ${wanted}.`
  const macros = undecided.map((path) => printable(path.at(-1)?.term.text ?? ''))
  const remark = macros.length === 0 ? '' : ` (The senders that ${macros.join(' and ')} matches depend on the message.)`
  return `${fact} Add it before "all".${remark}`
}

function describeLimit(tree: SpfTree, wanted: string, { kind, path }: SpfStop): string {
  const { domain } = tree.root
  if (kind === 'too_many_void_lookups') {
    return `Receivers stop evaluating the SPF policy of ${domain} before they have evaluated ${wanted}: ${shown(path)} is the third void lookup (a name that does not exist or has no address), but only ${VOID_LOOKUPS_MAX} are allowed. Remove the names that no longer exist.`
  }
  return `Receivers stop evaluating the SPF policy of ${domain} before they have evaluated ${wanted}: ${shown(path)} exceeds the limit of ${LOOKUPS_MAX} DNS lookups. Move ${wanted} to the front, or remove terms that are no longer needed.`
}

/** `remark`: a sentence about the records. */
export function describeSeveral(domain: string, count: number, remark = ''): string {
  return `There are ${count} SPF records at ${domain}, so receivers ignore all of them. ${remark}Merge them into one: a single v=spf1 with the terms of all, and delete the others.`
}

/** The fault at the end of the path: of the policy there, or of the term itself. */
function describeFault({ root }: SpfTree, path: TermPath): string {
  const last = path.at(-1)
  const node = last === undefined ? root : last.child
  const fault = node && describeNode(node)
  if (fault !== undefined) return fault
  return last === undefined ? '' : `${shown(path)}: ${describeTerm(last).join(', ')}.`
}

/** The last term, and whose record it is in if not the domain's own. */
function shown(path: TermPath): string {
  const term = printable(path.at(-1)?.term.text ?? '')
  const holder = path.at(-2)?.child?.domain
  return holder === undefined ? term : `${term} (in the record of ${printable(holder)})`
}

function blocking(path: TermPath): string {
  return printable(path.at(-1)?.behind?.text ?? 'all')
}

/** Only a term of the domain's own record that is the required one, but for its qualifier, can be replaced. */
function remedyOfQualifier([own, ...below]: TermPath, wanted: string): string {
  const text = printable(own?.term.text ?? '')
  const isItself = below.length === 0 && text.slice(1).toLowerCase() === wanted.toLowerCase()
  return isItself ? `Write ${wanted} instead.` : `Add ${wanted} before ${text}.`
}
