/** A message in Postfix's queue. */
import { eventId } from '../maillog/event-id.ts'
import type { FollowedMessage } from '../maillog/followed-message.ts'
import { isLongQueueId, type PostfixLine } from './postfix-line.ts'

export interface QueuedMessage extends FollowedMessage {
  messageId?: string
  /** When its delivery last started. */
  activeTime?: number
}

/** Short queue ids are reused with their inode; long ones contain the time and are not. See docs/decisions/0012. */
export function beginMessage(line: PostfixLine, isWhole: boolean): QueuedMessage {
  const { host, instance, queueId = '', time } = line
  const id = isLongQueueId(queueId)
    ? eventId('postfix', host, instance, queueId)
    : eventId('postfix', host, instance, queueId, time)
  return { id, firstTime: time, lastTime: time, isWhole, recipients: {} }
}

/** The same message under another queue id, such as after a content filter. It keeps its id and its known fields. */
export function continueMessage(origin: QueuedMessage, line: PostfixLine): QueuedMessage {
  const { messageId: _, ...known } = origin
  return { ...known, lastTime: line.time, hasFixedId: true, recipients: {} }
}

/** Postfix's own notifications to the postmaster, and its address probes. */
export function isNotification({ sender }: QueuedMessage): boolean {
  return sender?.startsWith('double-bounce@') ?? false
}
