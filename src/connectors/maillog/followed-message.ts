/** A message under way, assembled from the lines of a log. Plain JSON, because it is part of the checkpoint. */
import { senderDomainsOf } from '../shared/address.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import { type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { findGivenId } from './given-id.ts'
import { type LeftOutReason, leftOut } from './left-out.ts'
import type { MailLogRecord, SendingExtension } from './maillog.ts'

export interface FollowedMessage {
  /** Derived from the mail server's own id. */
  readonly id: string
  /** Chosen by the sending program; takes precedence. See docs/decisions/0012. */
  givenId?: string
  /** The message continues another one of the log and keeps its id. */
  readonly hasFixedId?: true
  /** Unix seconds of its first and last line. */
  firstTime: number
  lastTime: number
  /** False if the log was not followed from the message's first line: earlier attempts are unknown. */
  readonly isWhole: boolean
  /** Empty for a bounce message. */
  sender?: string
  /** Not decoded: an address within an encoded word is not an address (RFC 2047 section 6.2). */
  from?: string
  subject?: string
  protocol?: string
  size?: number
  /** Keyed by the address in angle brackets, so that no address is a name of Object.prototype. */
  readonly recipients: Record<string, RecipientState>
}

export interface RecipientState {
  /** Attempts so far. */
  attempts: number
  /** Delivered or failed permanently. */
  isDone: boolean
}

export type LogRecords = readonly MailLogRecord[]

/** What an outcome in the log becomes: never nothing. See left-out.ts. */
export type OutcomeRecords = readonly [...MailLogRecord[], MailLogRecord]

/** The state of a recipient, and its Reception if this is the first mention of it: recipients may not be known earlier. */
export function noteRecipient(
  message: FollowedMessage,
  recipient: string,
): { state: RecipientState; records: LogRecords } {
  const key = `<${recipient}>`
  const known = message.recipients[key]
  if (known) return { state: known, records: [] }
  const state = { attempts: 0, isDone: false }
  message.recipients[key] = state
  if (!message.isWhole) return { state, records: [] }
  const reception = toRecord(message, { type: 'Reception', timestamp: message.firstTime, recipient })
  // A message that cannot be attributed is counted by its outcome.
  return { state, records: reception.left_out === undefined ? [reception] : [] }
}

/**
 * False if the message has the recipient already; otherwise its Reception and attempts so far belong to another part of the
 * message.
 */
export function noteReceived(message: FollowedMessage, recipient: string, attempts: number): boolean {
  const key = `<${recipient}>`
  if (message.recipients[key]) return false
  // Not waiting: a filter or an alias may have replaced it.
  message.recipients[key] = { attempts, isDone: true }
  return true
}

/** Counts this attempt as well; undefined if earlier attempts are unknown. */
export function attemptsOf(message: FollowedMessage, { attempts }: RecipientState): number | undefined {
  return message.isWhole ? attempts : undefined
}

export function listWaiting(
  message: FollowedMessage,
): readonly { readonly recipient: string; readonly state: RecipientState }[] {
  const all = Object.entries(message.recipients).map(([key, state]) => ({ recipient: key.slice(1, -1), state }))
  return all.filter(({ state }) => !state.isDone)
}

/** The first valid id counts, unless events were already produced: all events of a message have the same id. */
export function giveId(message: FollowedMessage, value: string): void {
  if (message.givenId !== undefined || message.hasFixedId || Object.keys(message.recipients).length > 0) return
  const id = findGivenId(value)
  if (id !== undefined) message.givenId = id
}

/** A message without a sender is a bounce message; its header may come from the message that it returns. */
function idOf({ id, givenId, sender }: FollowedMessage): string {
  return sender === '' ? id : (givenId ?? id)
}

/** If the sender domain is unknown: the reason instead of a record. */
export function toRecord(
  message: FollowedMessage,
  fields: UntrustedRecord,
  extension: SendingExtension = {},
): MailLogRecord {
  const { sender, from, subject, size, protocol } = message
  const senderDomains = senderDomainsOf(from, sender)
  if (senderDomains.length === 0) return leftOut(whyUnattributed(message))
  const known = {
    id: idOf(message),
    sender,
    from: decodeHeaderText(from)?.trim(),
    subject,
    size,
    reception_protocol: protocol,
    direction: 'outbound',
  }
  return {
    sender_domains: senderDomains,
    event: withoutUndefined({ ...known, ...fields }),
    ...(Object.keys(extension).length > 0 && { extension }),
    ...(sender === '' && { if_unknown: 'skip' as const }),
  }
}

function whyUnattributed({ sender }: FollowedMessage): LeftOutReason {
  if (sender === undefined) return 'sender_not_logged'
  return sender === '' ? 'bounce_message' : 'no_sender_domain'
}
