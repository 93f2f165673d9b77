/** What one line says about a message that continues under another queue id. */
import { isLongQueueId, isQueueId, type ParsedDelivery, type PostfixLine } from './postfix-line.ts'
import type { QueuedMessage } from './queued-message.ts'
import type { PlacedMessage, QueuePlace } from './queued-messages.ts'

export interface HandOver {
  /** The queue id under which the message continues. */
  readonly queueId: string
  /** Within this machine, as far as the line shows. */
  readonly isLocal: boolean
}

/** By address, by name, or through a socket in the file system. */
const LOCAL_RELAY = /^local$|\[(?:127\.[\d.]+|::1|[^\]]*\/[^\]]*)\](?::\d+)?$/
/** The next line about a message that was handed over is not much older or newer. */
const HAND_OVER_SECONDS = 3600

/** What the next hop replied; undefined if it does not name a queue id. */
export function parseHandOver({ status, relay, text }: ParsedDelivery): HandOver | undefined {
  if (status !== 'sent') return undefined
  const [, queueId = ''] = /(?:queued|forwarded) as (\w+)/.exec(text) ?? []
  return isQueueId(queueId) ? { queueId, isLocal: isLocalRelay(relay) } : undefined
}

/** amavis: `250 2.7.0 Ok, discarded, id=12345-01 - spam`. */
export function isDiscardedByFilter({ status, relay, text }: ParsedDelivery): boolean {
  return status === 'sent' && isLocalRelay(relay) && /^250 \S+ Ok, discarded\b/.test(text)
}

/** `client=localhost[127.0.0.1]`: perhaps from a filter. */
export function isFromHere(words: string): boolean {
  return /^client=[^\s[]*\[(?:127\.[\d.]+|::1)\]/.test(words)
}

function isLocalRelay(relay: string): boolean {
  return LOCAL_RELAY.test(relay)
}

/** Other mail servers use the same queue ids: beyond this machine, the Message-ID has to agree as well. */
export function continues(
  line: PostfixLine,
  { isLocal }: HandOver,
  message: QueuedMessage,
  { place, message: next }: PlacedMessage,
): boolean {
  if (isSamePlace(line, place) || Math.abs(line.time - next.lastTime) > HAND_OVER_SECONDS) return false
  if (next.id === message.id) return true
  // A tunnel on this machine passes on the reply of any remote host.
  if (isLocal && place.host === line.host) return !isEarlier(next, message)
  return Boolean(message.messageId) && message.messageId === next.messageId && !isUnrelated(message, next)
}

/** Whether it was there before the message arrived. */
function isEarlier(next: QueuedMessage, message: QueuedMessage): boolean {
  return message.isWhole && next.isWhole && next.firstTime < message.firstTime
}

/**
 * Whoever receives a message knows its queue id and its Message-ID: they can send another one with this Message-ID through the
 * same server to a host of their own, which replies with this queue id.
 */
function isUnrelated(message: QueuedMessage, next: QueuedMessage): boolean {
  const differs = (field: 'sender' | 'from') =>
    message[field] !== undefined && next[field] !== undefined && message[field] !== next[field]
  return next.firstTime <= message.firstTime && (differs('sender') || differs('from'))
}

/** Whether `orig_queue_id` (XFORWARD) means this message: on another host, only long ids are unique. */
export function isOrigin(line: PostfixLine, { place }: PlacedMessage): boolean {
  return !isSamePlace(line, place) && (place.host === line.host || isLongQueueId(place.queueId ?? ''))
}

function isSamePlace(line: QueuePlace, place: QueuePlace): boolean {
  return place.host === line.host && place.instance === line.instance && place.queueId === line.queueId
}
