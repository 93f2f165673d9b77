/** Where a message stands, told by its events. */
import type { EmailEvent, EventType } from './event.ts'

export const MESSAGE_OUTCOMES = ['received', 'deferred', 'delivered', 'bounced', 'complained', 'mixed'] as const
export type MessageOutcome = (typeof MESSAGE_OUTCOMES)[number]

/** What an event says about the outcome for its recipient. Who opens a message or clicks in it has got it. */
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

/** Later in this list outweighs earlier: a report of the first attempt may arrive, or be dated, after the last. */
const WEIGHT: readonly MessageOutcome[] = ['received', 'deferred', 'delivered', 'bounced', 'complained']

export function judgeMessage(events: readonly Pick<EmailEvent, 'type' | 'recipient'>[]): MessageOutcome {
  const byRecipient = new Map<string, MessageOutcome>()
  for (const { type, recipient } of events) {
    const told = OUTCOME_OF_TYPE[type]
    const known = byRecipient.get(recipient)
    if (known === undefined || WEIGHT.indexOf(told) > WEIGHT.indexOf(known)) byRecipient.set(recipient, told)
  }
  const [first = 'received', ...others] = new Set(byRecipient.values())
  return others.length === 0 ? first : 'mixed'
}
