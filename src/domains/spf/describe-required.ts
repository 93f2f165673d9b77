/** Why a required mechanism takes no effect, in words for the person who can change the record. */
import { describeNode, describeTerm } from './describe-tree-problem.ts'
import type { RequiredOutcome } from './find-required.ts'
import { printable } from './printable-text.ts'
import type { SpfStop, TermPath } from './required-walk.ts'
import { type SpfRequirement, writeRequirement } from './spf-requirement.ts'
import type { SpfTree } from './spf-tree.ts'
import { LOOKUPS_MAX, VOID_LOOKUPS_MAX } from './spf-verdict.ts'
import { toDomainName } from './target-name.ts'

/** What is the case, and what to do. Of an effective one: where it is. */
export function describeRequired(tree: SpfTree, requirement: SpfRequirement, outcome: RequiredOutcome): string {
  const wanted = writeRequirement(requirement)
  const { domain } = tree.root
  if (outcome.isEffective) return `${wanted} takes effect in the SPF policy of ${domain}${through(outcome.path)}.`
  switch (outcome.reason) {
    case 'no_policy':
      return `${domain} has no SPF record. Add one that holds ${wanted}.`
    case 'missing':
      return describeMissing(tree, wanted, outcome)
    case 'behind_all': {
      const remedy = outcome.path.length === 1 ? 'Move it before that.' : `Add ${wanted} to the record of ${domain}.`
      return `In the SPF policy of ${domain}, ${shown(outcome.path)} is never reached: it stands behind ${blocking(outcome.path)}. ${remedy}`
    }
    case 'wrong_qualifier':
      return `The SPF policy of ${domain} says ${shown(outcome.path)}: with "${outcome.qualifier}" in front the mail does not pass. ${remedyOfQualifier(outcome.path, wanted)}`
    case 'beyond_limit':
      return describeLimit(tree, wanted, outcome.stop)
    case 'broken':
      return describeBroken(tree, requirement, outcome.stop.path)
    case 'several_records':
      return describeSeveral(domain, wanted, outcome)
    case 'unknown':
      return `Whether ${wanted} takes effect in the SPF policy of ${domain} could not be found out: ${outcome.paths.map((path) => describeFault(tree, path)).join(' ')} Try again in a few minutes.`
  }
}

/** What is wrong with the required policy itself, the owner of the domain can do nothing about. */
function describeBroken(tree: SpfTree, requirement: SpfRequirement, path: TermPath): string {
  const wanted = writeRequirement(requirement)
  const { domain } = tree.root
  const fault = describeFault(tree, path)
  const isWithin =
    'include' in requirement &&
    path.some(({ child }) => child !== undefined && isSameName(child.domain, requirement.include))
  return isWithin
    ? `${wanted} is in the SPF policy of ${domain}, but what it leads to is broken: ${fault} That is for its operator to correct.`
    : `Receivers give up on the SPF policy of ${domain} before they come to ${wanted}: ${fault} Correct that or remove it.`
}

function isSameName(one: string, other: string): boolean {
  return one === toDomainName(other.toLowerCase())
}

function describeMissing(
  { root: { domain } }: SpfTree,
  wanted: string,
  { isPartial, undecided }: Extract<RequiredOutcome, { readonly reason: 'missing' }>,
): string {
  const fact = isPartial
    ? `The SPF policy of ${domain} lets only some addresses of ${wanted} pass.`
    : `The SPF policy of ${domain} does not hold ${wanted}.`
  const macros = undecided.map((path) => printable(path.at(-1)?.term.text ?? ''))
  const remark = macros.length === 0 ? '' : ` (Whom ${macros.join(' and ')} matches depends on each message.)`
  return `${fact} Add it before "all".${remark}`
}

function describeLimit(tree: SpfTree, wanted: string, { kind, path }: SpfStop): string {
  const { domain } = tree.root
  if (kind === 'too_many_void_lookups') {
    return `Receivers give up on the SPF policy of ${domain} before they have evaluated ${wanted}: ${shown(path)} is the third name that does not exist or has no address, and ${VOID_LOOKUPS_MAX} are allowed. Remove the names that are gone.`
  }
  return `Receivers give up on the SPF policy of ${domain} before they have evaluated ${wanted}: for ${shown(path)} one more lookup is needed than the ${LOOKUPS_MAX} that are allowed. Move ${wanted} to the front, or remove terms that are no longer needed.`
}

function describeSeveral(
  domain: string,
  wanted: string,
  { count, foundIn }: Extract<RequiredOutcome, { readonly reason: 'several_records' }>,
): string {
  const place = foundIn.length === 0 ? `None of them holds ${wanted}.` : `${wanted} is in one of them.`
  return `There are ${count} SPF records at ${domain}, which makes receivers ignore all of them. ${place} Merge them into one: a single v=spf1 with the terms of all, and delete the rest.`
}

/** What is wrong at the end of the path: with the policy there, or with the term itself. */
function describeFault({ root }: SpfTree, path: TermPath): string {
  const last = path.at(-1)
  const node = last === undefined ? root : last.child
  const fault = node && describeNode(node)
  if (fault !== undefined) return fault
  return last === undefined ? '' : `${shown(path)}: ${describeTerm(last).join(', ')}.`
}

/** The term at the end, and in whose record it stands if that is not the domain's own. */
function shown(path: TermPath): string {
  const term = printable(path.at(-1)?.term.text ?? '')
  const holder = path.at(-2)?.child?.domain
  return holder === undefined ? term : `${term} (in the record of ${printable(holder)})`
}

function through(path: TermPath): string {
  const steps = path.slice(0, -1).map(({ term }) => printable(term.text))
  return steps.length === 0 ? '' : `, through ${steps.join(' and ')}`
}

function blocking(path: TermPath): string {
  return printable(path.at(-1)?.behind?.text ?? 'all')
}

/** Records of others cannot be changed, and of one's own only what says the required thing itself. */
function remedyOfQualifier([own, ...below]: TermPath, wanted: string): string {
  const text = printable(own?.term.text ?? '')
  const isItself = below.length === 0 && text.slice(1).toLowerCase() === wanted.toLowerCase()
  return isItself ? `Write ${wanted} instead.` : `Add ${wanted} before ${text}.`
}
