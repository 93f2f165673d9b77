/**
 * Finds the message that a report is about. A report needs proof: a reference that we signed, or the id of a message in
 * our log together with one of its recipients. An address alone proves nothing. See docs/decisions/0013.
 */
import type { Domain } from '../domains/domain.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import { findProvenDomain } from '../domains/require-domain.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { Turn } from '../lib/turns/turn.ts'
import { type KnownRecipients, listKnownRecipients, NO_RECIPIENTS } from './known-recipients.ts'
import { lowerCase, type Reference, type References } from './reference.ts'
import type { Report } from './report.ts'
import { type FoundReference, findFullReference, findInAddress, namesAbove } from './return-path.ts'
import { TieBudget } from './tie-budget.ts'

export interface TieDependencies {
  readonly references: References
  readonly domains: Pick<DomainStore, 'findByName'>
  readonly log: Pick<EventLog, 'listMessage' | 'list'>
  /** Whether unsigned ids count if the log has them. Default: no. */
  readonly allowsUnsigned?: boolean
}

export interface Tie {
  readonly domain: string
  readonly messageId: string
  readonly isSigned: boolean
  /** The recipient that the reference was signed for; absent if it is valid for the message as a whole. */
  readonly recipient?: string
  /** The message's envelope sender, if the reference was found there. */
  readonly returnPath?: string
  readonly known: KnownRecipients
}

/** The message that the report is about, or why none is known. */
export type TieResult = ({ readonly tie: Tie } | { readonly problem: string }) & {
  /** An estimate of the processor time that it took, in milliseconds. */
  readonly spentMs: number
}

/** Shorter ids, such as counters, are easily guessed. */
const UNSIGNED_ID_LENGTH_MIN = 16
const ID_LENGTH_MAX = 255

export async function tieReport(
  dependencies: TieDependencies,
  report: Report,
  budget = new TieBudget(),
): Promise<TieResult> {
  const search = new TieSearch(dependencies, report, budget)
  const tie = await search.findSigned()
  if (tie) return { tie, spentMs: budget.spentMs }
  const isFreeText = report.kind === 'delivery' && report.isFreeText === true
  const issued = isFreeText ? undefined : await search.findIssued()
  if (issued && dependencies.allowsUnsigned) return { tie: issued, spentMs: budget.spentMs }
  const problem = describeUntied(dependencies, issued !== undefined, budget.isExceeded)
  return { problem, spentMs: budget.spentMs }
}

function describeUntied({ allowsUnsigned }: TieDependencies, isIssued: boolean, isExceeded: boolean): string {
  if (isIssued)
    return 'the report has no signed reference; the id and recipient of a message in the log count only with ENVELOG_REPORT_PROOF=issued'
  if (isExceeded)
    return 'the report has no signed reference among those checked; it has too many, or too many recipients'
  return allowsUnsigned
    ? 'the report has no signed reference and no id of a message in the log'
    : 'the report has no signed reference'
}

/** The search for the message of one report. */
class TieSearch {
  readonly #budget: TieBudget
  readonly #dependencies: TieDependencies
  readonly #report: Report
  readonly #named: readonly string[]
  readonly #turn = new Turn()

  constructor(dependencies: TieDependencies, report: Report, budget: TieBudget) {
    this.#budget = budget
    this.#dependencies = dependencies
    this.#report = report
    this.#named = listNamedRecipients(report)
  }

  async findSigned(): Promise<Tie | undefined> {
    const tried = new Set<string>()
    for (const found of listReferences(this.#report)) {
      for (const domain of found.domains) {
        const { messageId, mac } = found.reference
        const pair = JSON.stringify([domain, messageId, mac])
        if (tried.has(pair)) continue
        tried.add(pair)
        await this.#turn.share()
        // Check the domain first: every recipient that a stranger names costs a signature.
        const known = await findDomain(this.#dependencies, domain)
        if (!known) continue
        if (this.#budget.take('references', 1) === 0) return undefined
        const tie = await this.#prove(found, domain, known)
        if (tie) return tie
      }
    }
    return undefined
  }

  /** `domain`: as it is written in the reference, which is what was signed. */
  async #prove({ reference, returnPath }: FoundReference, domain: string, owner: Domain): Promise<Tie | undefined> {
    const { messageId } = reference
    const tie = { domain, messageId, isSigned: true, ...(returnPath !== undefined && { returnPath }) }
    // Recipients that the report names come first, so that the same report always results in the same event.
    const recipient = await this.#findAmong(reference, domain, this.#named)
    if (recipient) return { ...tie, recipient, known: NO_RECIPIENTS }
    if (recipient === undefined && !this.#budget.has('events')) return undefined
    const known = await this.#listKnown(owner, messageId)
    if (recipient === '') return { ...tie, known }
    const unnamed = await this.#findAmong(reference, domain, [...known.recipients.values()])
    return unnamed === undefined ? undefined : { ...tie, recipient: unnamed, known }
  }

  /** A batch at a time, so that others get the thread. */
  async #findAmong(reference: Reference, domain: string, recipients: readonly string[]): Promise<string | undefined> {
    const { references } = this.#dependencies
    for (let at = 0; at === 0 || at < recipients.length; at += CHECKED_AT_ONCE) {
      const batch = recipients.slice(at, at + CHECKED_AT_ONCE)
      // One more, for the message as a whole.
      const granted = this.#budget.take('signatures', batch.length + 1)
      if (granted === 0) return undefined
      const found = references.findRecipient(reference, domain, batch.slice(0, granted - 1))
      if (found !== undefined) return found
      await this.#turn.share()
    }
    return undefined
  }

  /** Without a signature, id, recipient and sender domain must be those of one message in the log. */
  async findIssued(): Promise<Tie | undefined> {
    const ids = listIssuedIds(this.#report)
    if (ids.length === 0 || this.#named.length === 0) return undefined
    for (const domain of await findSenderDomains(this.#dependencies, this.#report)) {
      for (const messageId of ids) {
        const known = await this.#listKnown(domain, messageId)
        if (!this.#named.some((address) => known.recipients.has(lowerCase(address)))) continue
        return { domain: domain.name, messageId, isSigned: false, known }
      }
    }
    return undefined
  }

  #listKnown(domain: Domain, messageId: string): Promise<KnownRecipients> {
    return listKnownRecipients(this.#dependencies.log, domain, messageId, this.#named, this.#budget)
  }
}

const CHECKED_AT_ONCE = 100

/** Addresses and texts with a reference. The same one usually occurs several times. */
const MENTIONS_MAX = 20

/** The envelope comes first: only we choose it, and it is present even if nothing of the message is returned. */
function listReferences({ sentTo, returned, envelopeId }: Report): readonly FoundReference[] {
  const inAddresses = [...sentTo, returned.sender].map((address) => findInAddress(address ?? ''))
  const texts = [envelopeId, ...returned.references, returned.trace?.reference]
  const inTexts = texts.map((text) => findFullReference(text ?? ''))
  return [...inAddresses, ...inTexts].filter((found) => found !== undefined).slice(0, MENTIONS_MAX)
}

function listIssuedIds({ returned, envelopeId }: Report): readonly string[] {
  const { trace, messageId } = returned
  // Many platforms use the id as the local part of the Message-ID.
  const ids = [envelopeId, trace?.messageId, messageId, messageId?.replace(/@.*$/s, '')]
  return [...new Set(ids.filter((id) => id !== undefined))].filter(
    ({ length }) => length >= UNSIGNED_ID_LENGTH_MIN && length <= ID_LENGTH_MAX,
  )
}

/** The domains of the returned message, or of the address that the report was sent to if no sender is returned. */
async function findSenderDomains(
  dependencies: TieDependencies,
  { returned, sentTo }: Report,
): Promise<readonly Domain[]> {
  const found: Domain[] = []
  const senders = [returned.fromAddress, returned.sender].filter((address) => address !== undefined)
  for (const address of senders.length > 0 ? senders : sentTo.slice(0, 1)) {
    for (const name of namesAbove(address.slice(address.lastIndexOf('@') + 1))) {
      const domain = await findDomain(dependencies, name)
      if (!domain) continue
      if (!found.some(({ number }) => number === domain.number)) found.push(domain)
      break
    }
  }
  return found
}

function findDomain({ domains }: TieDependencies, name: string): Promise<Domain | undefined> {
  return findProvenDomain(domains, name)
}

/** The recipients that the report names, unverified. */
function listNamedRecipients(report: Report): readonly string[] {
  const { trace, to } = report.returned
  const own = trace?.recipient === undefined ? [] : [trace.recipient]
  switch (report.kind) {
    case 'delivery':
      // In free text the recipient may be named only by the returned message. It counts if it was signed for.
      return [
        ...new Set([
          ...report.outcomes.flatMap(({ addresses }) => addresses),
          ...own,
          ...(report.isFreeText === true ? to : []),
        ]),
      ]
    case 'feedback':
      return [...new Set([...report.recipients, ...own, ...to])]
    case 'reply':
    case 'unknown':
      return []
  }
}
