/** What is known about a message that a log is followed for, put together from its lines. Plain JSON: part of the checkpoint. */
import { senderDomainsOf } from '../address.ts'
import { decodeHeaderText } from '../header-text.ts'
import { type UntrustedRecord, withoutUndefined } from '../untrusted.ts'
import { findGivenId } from './given-id.ts'
import type { MailLogRecord } from './maillog.ts'

export interface FollowedMessage {
  /** Made from what the mail server calls it. */
  readonly id: string
  /** The one that the sending program chose; counts instead. See docs/decisions/0012. */
  givenId?: string
  /** Its events are told under the id that it has: it went on from another of the log. */
  readonly hasFixedId?: true
  /** Unix seconds of its first line, and of its last. */
  firstTime: number
  lastTime: number
  /** False where the log was not followed from the message's beginning: then attempts before are not known. */
  readonly isWhole: boolean
  /** Empty for a report. */
  sender?: string
  /** As the header has it: what its encoded words hold must not be taken for an address (RFC 2047 section 6.2). */
  from?: string
  subject?: string
  protocol?: string
  size?: number
  /** By address in angle brackets: how often delivery was tried, and whether it is over. */
  readonly recipients: Record<string, RecipientState>
}

export interface RecipientState {
  attempts: number
  isDone: boolean
}

/** The brackets keep an address from meaning something to JavaScript. */
export function recipientState(message: FollowedMessage, address: string): RecipientState | undefined {
  return message.recipients[`<${address}>`]
}

export function addRecipient(message: FollowedMessage, address: string): RecipientState {
  const state = { attempts: 0, isDone: false }
  message.recipients[`<${address}>`] = state
  return state
}

export function listWaiting(
  message: FollowedMessage,
): readonly { readonly recipient: string; readonly state: RecipientState }[] {
  const all = Object.entries(message.recipients).map(([key, state]) => ({ recipient: key.slice(1, -1), state }))
  return all.filter(({ state }) => !state.isDone)
}

/** The first that can be an id counts, and none once something was told: all events of a message have the same. */
export function giveId(message: FollowedMessage, value: string): void {
  if (message.givenId !== undefined || message.hasFixedId || Object.keys(message.recipients).length > 0) return
  const id = findGivenId(value)
  if (id !== undefined) message.givenId = id
}

/** A message without sender is a report, and the header may be that of the message which it returns. */
function idOf({ id, givenId, sender }: FollowedMessage): string {
  return sender === '' ? id : (givenId ?? id)
}

/** Undefined where nothing tells whose mail it is: reports of the mail server itself, and messages met half way. */
export function toRecord(message: FollowedMessage, fields: UntrustedRecord): MailLogRecord | undefined {
  const { sender, from, subject, size, protocol } = message
  const senderDomains = senderDomainsOf(from, sender)
  if (senderDomains.length === 0) return undefined
  const known = {
    id: idOf(message),
    sender,
    from: from === undefined ? undefined : decodeHeaderText(from).trim(),
    subject,
    size,
    reception_protocol: protocol,
    direction: 'outbound',
  }
  return {
    sender_domains: senderDomains,
    event: withoutUndefined({ ...known, ...fields }),
    ...(sender === '' && { if_unknown: 'skip' as const }),
  }
}

/** When a recipient is first heard of, it becomes known who the message was for. */
export function receptionOf(message: FollowedMessage, recipient: string): MailLogRecord | undefined {
  return toRecord(message, { type: 'Reception', timestamp: message.firstTime, recipient })
}
