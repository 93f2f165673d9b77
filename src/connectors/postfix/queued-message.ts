/** A message in Postfix's queue. */
import { eventId } from '../maillog/event-id.ts'
import type { FollowedMessage } from '../maillog/followed-message.ts'
import { isLongQueueId, type PostfixLine } from './postfix-line.ts'

export interface QueuedMessage extends FollowedMessage {
  messageId?: string
  /** When its delivery was last begun. */
  activeTime?: number
}

/** Short queue ids come again when an inode does; long ones hold the time and never do. See docs/decisions/0012. */
export function beginMessage(line: PostfixLine, isWhole: boolean): QueuedMessage {
  const { host, instance, queueId = '', time } = line
  const id = isLongQueueId(queueId)
    ? eventId('postfix', host, instance, queueId)
    : eventId('postfix', host, instance, queueId, time)
  return { id, firstTime: time, lastTime: time, isWhole, recipients: {} }
}

/** The same message under another queue id: a content filter gave it back. What it knew before counts, its id too. */
export function continueMessage(origin: QueuedMessage, line: PostfixLine): QueuedMessage {
  const { messageId: _, ...known } = origin
  return { ...known, lastTime: line.time, hasFixedId: true, recipients: {} }
}

/** Postfix's own letters to the postmaster, and its probes of addresses. */
export function isNotification({ sender }: QueuedMessage): boolean {
  return sender?.startsWith('double-bounce@') ?? false
}
