/**
 * Follows messages that continue under another queue id: a content filter returns them, an alias forwards them, another
 * instance or host of the same log takes them over. Only the lines with the last queue id report the final outcome.
 * See docs/decisions/0043.
 */
import { noteReceived } from '../maillog/followed-message.ts'
import type { LeftOutReason } from '../maillog/left-out.ts'
import { continues, type HandOver, isOrigin, parseHandOver } from './hand-over.ts'
import type { ParsedDelivery, PostfixLine } from './postfix-line.ts'
import { continueMessage, hasEvents, joinParts, type QueuedMessage } from './queued-message.ts'
import type { PlacedMessage, QueuedMessages } from './queued-messages.ts'

/** The place of messages that were handed over to an instance whose lines were not read yet. */
const ANY_INSTANCE = '*'
/** An instance that takes a message over logs it at the same time; its clock may be another one. */
const EXPECTED_SECONDS = 600

export interface NextPart {
  /** Why the line is not an event. */
  readonly reason: LeftOutReason
  /** Absent if the next part is in the log under an id of its own, with its own Reception. */
  readonly next?: PlacedMessage
}

export class HandOvers {
  readonly #messages: QueuedMessages

  constructor(messages: QueuedMessages) {
    this.#messages = messages
  }

  /** The message that a filter returns, by the queue id that it passed on. */
  findFiltered(line: PostfixLine, originId: string | undefined): QueuedMessage | undefined {
    if (originId === undefined) return undefined
    const origin = this.#messages.list(line, originId).find((some) => isOrigin(line, some))
    return origin && continueMessage(origin.message, line)
  }

  /** The message that a line read before has handed over. */
  findExpected(line: PostfixLine): QueuedMessage | undefined {
    const place = { ...line, instance: ANY_INSTANCE }
    const expected = this.#messages.get(place)
    if (!expected) return undefined
    this.#messages.delete(place)
    const isTooOld = Math.abs(line.time - expected.lastTime) > EXPECTED_SECONDS
    return isTooOld ? undefined : { ...continueMessage(expected, line), recipients: expected.recipients }
  }

  /** Where the message continues after this line; undefined if it does not. */
  findNext(line: PostfixLine, delivery: ParsedDelivery, message: QueuedMessage): NextPart | undefined {
    const handOver = parseHandOver(delivery)
    if (!handOver) return undefined
    const { queueId, isLocal } = handOver
    const next = this.#messages.list(line, queueId).find((some) => continues(line, handOver, message, some))
    if (next) return this.#link(line, message, next)
    if (!isLocal) return undefined
    // A filter may reply late.
    if (this.#messages.hasLeft(line, queueId)) return { reason: 'handed_over' }
    return this.#expect(line, handOver, message)
  }

  /** Whether the Reception of the recipient is this part's, and not the next one's. A hand-over is not an attempt. */
  noteReception({ next }: NextPart, recipient: string, attempts: number): boolean {
    if (!next) return false
    const isFirst = noteReceived(next.message, recipient, attempts)
    this.#messages.set(next.place, next.message)
    return isFirst
  }

  /** If the filter did not pass on the queue id, the two are linked here, provided the next one has no events yet. */
  #link(line: PostfixLine, message: QueuedMessage, { place, message: next }: PlacedMessage): NextPart {
    const reason = next.isExpected ? 'next_hop_not_logged' : 'handed_over'
    if (next.id === message.id) return { reason, next: { place, message: next } }
    if (hasEvents(next)) return { reason }
    return { reason, next: { place, message: joinParts(message, line.queueId ?? '', next) } }
  }

  /** The lines of the next instance may be in another log, or only late. */
  #expect(line: PostfixLine, { queueId }: HandOver, message: QueuedMessage): NextPart {
    const expected: QueuedMessage = { ...continueMessage(message, line), isExpected: true }
    const place = { host: line.host, instance: ANY_INSTANCE, queueId }
    return { reason: 'next_hop_not_logged', next: { place, message: expected } }
  }
}
