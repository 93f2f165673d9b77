/** A message in Postfix's queue. */
import { eventId } from '../maillog/event-id.ts'
import type { FollowedMessage } from '../maillog/followed-message.ts'
import { isLongQueueId, type PostfixLine } from './postfix-line.ts'

export interface QueuedMessage extends FollowedMessage {
  messageId?: string
  /** As pickup logs it, before Postfix completes and rewrites it. Counts only if the queue manager's line is missing. */
  submitter?: string
  /** When its delivery last started. */
  activeTime?: number
  /** Submitted from the same machine, perhaps by a filter. */
  isFromHere?: true
  /** Only the reply of the instance that took it over is known so far. */
  readonly isExpected?: true
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
  const { messageId: _, isExpected: __, ...known } = origin
  return { ...known, lastTime: line.time, ...(hasItsId(origin) && { hasFixedId: true }), recipients: {} }
}

/** Whether an id that the sending program gave it would be known by now. */
function hasItsId(message: QueuedMessage): boolean {
  return message.isWhole || message.hasFixedId === true || hasEvents(message)
}

/**
 * The second part of a message, after a line about the first part named it. The first part counts, but if its own first lines
 * are missing, it may know less than the second: then nothing that is known gets lost, and its arrival is unknown.
 */
export function joinParts(first: QueuedMessage, firstQueueId: string, second: QueuedMessage): QueuedMessage {
  const { id, messageId, activeTime, lastTime, ...later } = second
  const ownId = isLongQueueId(firstQueueId) || first.sender !== undefined ? first.id : id
  const { givenId, messageId: _, ...earlier } = first
  const given = givenId ?? (hasItsId(first) ? undefined : second.givenId)
  const { givenId: __, ...fields } = later
  return {
    ...fields,
    ...earlier,
    id: ownId,
    ...(given !== undefined && { givenId: given }),
    ...(messageId !== undefined && { messageId }),
    ...(activeTime !== undefined && { activeTime }),
    lastTime,
    hasFixedId: true,
    recipients: {},
  }
}

export function hasEvents({ recipients }: QueuedMessage): boolean {
  return Object.keys(recipients).length > 0
}

/** Postfix's own notifications to the postmaster, and its address probes. */
export function isNotification({ sender }: QueuedMessage): boolean {
  return sender?.startsWith('double-bounce@') ?? false
}
