/** The target name of a term during an evaluation: its domain-spec with the macros of this sender (RFC 7208 section 4.8). */
import type { Evaluation, TermInPlace } from './evaluation.ts'
import { formatDotted, formatIpAddress } from './ip-address.ts'
import { expandMacros, type MacroValues } from './macro-expansion.ts'
import { type MacroString, usesLetter } from './macro-string.ts'
import { toTargetName } from './target-name.ts'
import { chooseValidatedName, listValidatedNames } from './validated-names.ts'

export type Target =
  | { readonly kind: 'name'; readonly name: string }
  /** DNS cannot be asked for it. */
  | { readonly kind: 'malformed' }
  /** RFC 8616 section 4: with a local part beyond ASCII, terms that use it match nothing. */
  | { readonly kind: 'unmatchable' }

/** `place.domain` where the term has no domain-spec. */
export async function expandTarget(
  evaluation: Evaluation,
  place: TermInPlace,
  domainSpec: MacroString | undefined,
): Promise<Target> {
  if (domainSpec === undefined) return { kind: 'name', name: place.domain }
  if (usesLetter(domainSpec, 's', 'l') && /\P{ASCII}/u.test(splitSender(evaluation).local)) {
    return { kind: 'unmatchable' }
  }
  // Section 4.6.4: the PTR records that %{p} needs are one more lookup.
  if (usesLetter(domainSpec, 'p')) evaluation.countLookup(place)
  const name = toTargetName(await expandText(evaluation, place.domain, domainSpec, place))
  return name === undefined ? { kind: 'malformed' } : { kind: 'name', name }
}

/** `place`: the term to which void lookups are counted, if any. */
export async function expandText(
  evaluation: Evaluation,
  domain: string,
  text: MacroString,
  place?: TermInPlace,
): Promise<string> {
  if (text.every(({ kind }) => kind !== 'macro')) return expandMacros(text, {})
  const names = usesLetter(text, 'p') ? await listValidatedNames(evaluation, place) : []
  return expandMacros(text, macroValues(evaluation, domain, chooseValidatedName(names, domain)))
}

function macroValues(evaluation: Evaluation, domain: string, validatedName: string): MacroValues {
  const { ip, question } = evaluation
  const { local, domain: senderDomain } = splitSender(evaluation)
  return {
    s: `${local}@${senderDomain}`,
    l: local,
    o: senderDomain,
    d: domain,
    i: formatDotted(ip),
    p: validatedName,
    h: question.helo,
    c: formatIpAddress(ip),
    r: question.receiver ?? 'unknown',
    t: String(Math.floor(question.timeMs / 1000)),
    v: ip.family === 4 ? 'in-addr' : 'ip6',
  }
}

/** Section 4.3: a sender without a local part has "postmaster". The local part may be quoted and hold "@" itself. */
function splitSender({ question: { sender } }: Evaluation): { readonly local: string; readonly domain: string } {
  const at = sender.lastIndexOf('@')
  return { local: sender.slice(0, Math.max(at, 0)) || 'postmaster', domain: sender.slice(at + 1) }
}
