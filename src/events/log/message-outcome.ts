/** The state of a message, derived from its events. */
import type { EmailEvent, EventType } from '../event.ts'

export const MESSAGE_OUTCOMES = ['received', 'deferred', 'delivered', 'bounced', 'complained', 'mixed'] as const
export type MessageOutcome = (typeof MESSAGE_OUTCOMES)[number]

/** What an event says about the outcome for its recipient. An open or a click implies delivery. */
const OUTCOME_OF_TYPE: Readonly<Record<EventType, Exclude<MessageOutcome, 'mixed'>>> = {
  Reception: 'received',
  TransientFailure: 'deferred',
  Delayed: 'deferred',
  Delivery: 'delivered',
  Opened: 'delivered',
  Click: 'delivered',
  Bounce: 'bounced',
  OOBBounce: 'bounced',
  Feedback: 'complained',
}

/** A later entry outweighs an earlier one, whatever the order of events: a record of an early attempt may arrive late. */
const WEIGHT: readonly MessageOutcome[] = ['received', 'deferred', 'delivered', 'bounced', 'complained']

export function judgeMessage(events: readonly Pick<EmailEvent, 'type' | 'recipient'>[]): MessageOutcome {
  const weights = new Map<string, number>()
  for (const { type, recipient } of events) {
    const weight = WEIGHT.indexOf(OUTCOME_OF_TYPE[type])
    weights.set(recipient, Math.max(weights.get(recipient) ?? weight, weight))
  }
  const [first = 'received', ...others] = new Set(weights.values().map((weight) => WEIGHT[weight]))
  return others.length === 0 ? first : 'mixed'
}
