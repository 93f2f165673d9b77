/** What is known about a message in Postfix's queue, put together from its lines. Plain JSON: it is part of the checkpoint. */
import { senderDomainsOf } from '../address.ts'
import { eventId } from '../maillog/event-id.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { type UntrustedRecord, withoutUndefined } from '../untrusted.ts'
import { isLongQueueId, type PostfixLine } from './postfix-line.ts'

export interface QueuedMessage {
  readonly id: string
  /** Unix seconds of its first line, and of its last. */
  readonly firstTime: number
  lastTime: number
  /** False where the log was not followed from the message's beginning: then attempts before are not known. */
  readonly isWhole: boolean
  messageId?: string
  /** Empty for a report. */
  sender?: string
  from?: string
  subject?: string
  protocol?: string
  size?: number
  /** When its delivery was last begun. */
  activeTime?: number
  /** By address in angle brackets: how often delivery was tried, and whether it is over. */
  readonly recipients: Record<string, RecipientState>
}

export interface RecipientState {
  attempts: number
  isDone: boolean
}

/** Short queue ids come again when an inode does; long ones hold the time and never do. See docs/decisions/0012. */
export function beginMessage(line: PostfixLine, isWhole: boolean): QueuedMessage {
  const { host, instance, queueId = '', time } = line
  const id = isLongQueueId(queueId)
    ? eventId('postfix', host, instance, queueId)
    : eventId('postfix', host, instance, queueId, time)
  return { id, firstTime: time, lastTime: time, isWhole, recipients: {} }
}

/** The same message under another queue id: a content filter gave it back. What it knew before counts. */
export function continueMessage(origin: QueuedMessage, line: PostfixLine): QueuedMessage {
  const { messageId: _, ...known } = origin
  return { ...known, lastTime: line.time, recipients: {} }
}

/** The brackets keep an address from meaning something to JavaScript. */
export function recipientState(message: QueuedMessage, address: string): RecipientState | undefined {
  return message.recipients[`<${address}>`]
}

export function addRecipient(message: QueuedMessage, address: string): RecipientState {
  const state = { attempts: 0, isDone: false }
  message.recipients[`<${address}>`] = state
  return state
}

export function listWaiting(
  message: QueuedMessage,
): readonly { readonly recipient: string; readonly state: RecipientState }[] {
  const all = Object.entries(message.recipients).map(([key, state]) => ({ recipient: key.slice(1, -1), state }))
  return all.filter(({ state }) => !state.isDone)
}

/** Undefined where nothing tells whose mail it is: notifications of Postfix itself, and messages met half way. */
export function toRecord(message: QueuedMessage, fields: UntrustedRecord): MailLogRecord | undefined {
  const { id, sender, from, subject, size, protocol } = message
  const senderDomains = senderDomainsOf(from, sender)
  if (senderDomains.length === 0 || isNotification(sender)) return undefined
  const known = { id, sender, from, subject, size, reception_protocol: protocol, direction: 'outbound' }
  return {
    sender_domains: senderDomains,
    event: withoutUndefined({ ...known, ...fields }),
    ...(sender === '' && { if_unknown: 'skip' as const }),
  }
}

/** Postfix's own letters to the postmaster, and its probes of addresses. */
function isNotification(sender: string | undefined): boolean {
  return sender?.startsWith('double-bounce@') ?? false
}
