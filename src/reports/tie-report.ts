/**
 * Finds the message that a report is about. A report needs proof: a reference that we signed, or the id of a message in
 * our log together with one of its recipients. An address alone proves nothing. See docs/decisions/0013.
 */
import type { Domain } from '../domains/domain.ts'
import { normalizeDomainName } from '../domains/domain-name.ts'
import type { DomainStore } from '../domains/domain-store.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { listRecipientsOfMessage } from '../events/log/message-recipients.ts'
import { Turn } from '../lib/turns/turn.ts'
import { lowerCase, type References } from './reference.ts'
import type { Report } from './report.ts'
import { type FoundReference, findFullReference, findInAddress, namesAbove } from './return-path.ts'

export interface TieDependencies {
  readonly references: References
  readonly domains: Pick<DomainStore, 'findByName'>
  readonly log: Pick<EventLog, 'listMessage'>
  /** Whether unsigned ids count if the log has them. */
  readonly allowsUnsigned: boolean
}

export interface Tie {
  readonly domain: string
  readonly messageId: string
  readonly isSigned: boolean
  /** The recipient that the reference was signed for; absent if it is valid for the message as a whole. */
  readonly recipient?: string
  /** The message's envelope sender, if the reference was found there. */
  readonly returnPath?: string
  /** The message's recipients in the log, keyed by their address in lower case. */
  readonly knownRecipients: ReadonlyMap<string, string>
}

/** Each costs at most one query of the log. */
const REFERENCES_MAX = 10

/** Shorter ids, such as counters, are easily guessed. */
const UNSIGNED_ID_LENGTH_MIN = 16

export async function tieReport(dependencies: TieDependencies, report: Report): Promise<Tie | undefined> {
  const named = listNamedRecipients(report)
  for (const found of listReferences(report)) {
    const tie = await prove(dependencies, found, named)
    if (tie) return tie
  }
  return dependencies.allowsUnsigned ? findIssued(dependencies, report, named) : undefined
}

/** The envelope comes first: only we choose it, and it is present even if nothing of the message is returned. */
function listReferences(report: Report): readonly FoundReference[] {
  const { sentTo, returned } = report
  const inAddresses = [...sentTo, returned.sender].map((address) => findInAddress(address ?? ''))
  const texts = [envelopeIdOf(report), ...returned.references, returned.trace?.reference]
  const inTexts = texts.map((text) => findFullReference(text ?? ''))
  return [...inAddresses, ...inTexts].filter((found) => found !== undefined).slice(0, REFERENCES_MAX)
}

async function prove(
  dependencies: TieDependencies,
  { reference, domains, returnPath }: FoundReference,
  named: readonly string[],
): Promise<Tie | undefined> {
  const { references } = dependencies
  const { messageId } = reference
  for (const domain of domains) {
    // Check the domain first: every recipient that a stranger names costs a signature.
    const known = await findDomain(dependencies, domain)
    if (!known) continue
    const tie = { domain, messageId, isSigned: true, ...(returnPath !== undefined && { returnPath }) }
    // Recipients that the report names come first, so that the same report always results in the same event.
    const recipient = references.findRecipient(reference, domain, named)
    if (recipient) return { ...tie, recipient, knownRecipients: new Map() }
    const knownRecipients = await listKnownRecipients(dependencies, known, messageId)
    if (recipient === '') return { ...tie, knownRecipients }
    const unnamed = await findAmong(knownRecipients.values(), (some) =>
      references.findRecipient(reference, domain, some),
    )
    if (unnamed !== undefined) return { ...tie, recipient: unnamed, knownRecipients }
  }
  return undefined
}

/** Without a signature, id, recipient and sender domain must be those of one message in the log. */
async function findIssued(
  dependencies: TieDependencies,
  report: Report,
  named: readonly string[],
): Promise<Tie | undefined> {
  const ids = listIssuedIds(report)
  if (ids.length === 0) return undefined
  for (const domain of await findSenderDomains(dependencies, report)) {
    for (const messageId of ids) {
      const knownRecipients = await listKnownRecipients(dependencies, domain, messageId)
      if (!named.some((address) => knownRecipients.has(lowerCase(address)))) continue
      return { domain: domain.name, messageId, isSigned: false, knownRecipients }
    }
  }
  return undefined
}

function listIssuedIds(report: Report): readonly string[] {
  const { trace, messageId } = report.returned
  // Many platforms use the id as the local part of the Message-ID.
  const ids = [envelopeIdOf(report), trace?.messageId, messageId, messageId?.replace(/@.*$/s, '')]
  return [...new Set(ids.filter((id) => id !== undefined && id.length >= UNSIGNED_ID_LENGTH_MIN))] as string[]
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

async function findDomain({ domains }: TieDependencies, name: string): Promise<Domain | undefined> {
  const normalized = normalizeDomainName(name)
  return normalized === undefined ? undefined : domains.findByName(normalized)
}

async function listKnownRecipients(
  { log }: TieDependencies,
  { number, name }: Domain,
  messageId: string,
): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>()
  for await (const recipients of listRecipientsOfMessage(log, { number, name }, messageId)) {
    for (const recipient of recipients) known.set(lowerCase(recipient), recipient)
  }
  return known
}

const CHECKED_AT_ONCE = 100

/** A mailing has many recipients, and each costs a signature: a batch at a time, so that others get the thread. */
async function findAmong(
  recipients: Iterable<string>,
  find: (some: readonly string[]) => string | undefined,
): Promise<string | undefined> {
  const turn = new Turn()
  let batch: string[] = []
  for (const recipient of recipients) {
    batch.push(recipient)
    if (batch.length < CHECKED_AT_ONCE) continue
    const found = find(batch)
    if (found !== undefined) return found
    batch = []
    await turn.share()
  }
  return find(batch)
}

function envelopeIdOf(report: Report): string | undefined {
  return 'envelopeId' in report ? report.envelopeId : undefined
}

/** The recipients that the report names, unverified. */
function listNamedRecipients(report: Report): readonly string[] {
  const { trace, to } = report.returned
  const own = trace?.recipient === undefined ? [] : [trace.recipient]
  switch (report.kind) {
    case 'delivery':
      return [...new Set([...report.outcomes.flatMap(({ addresses }) => addresses), ...own])]
    case 'feedback':
      return [...new Set([...report.recipients, ...own, ...to])]
    case 'reply':
    case 'unknown':
      return []
  }
}
