/** The nine event types: a label, a colour and a meaning for each. */
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'

export type EventType = LogEvent['type']
type Tone = 'slate' | 'green' | 'blue' | 'sky' | 'amber' | 'ochre' | 'red' | 'rose' | 'violet'

interface EventKind {
  readonly label: string
  readonly tone: Tone
  readonly meaning: string
}

/** In the order in which they usually happen to a message. */
export const EVENT_KINDS: Readonly<Record<EventType, EventKind>> = {
  Reception: { label: 'Reception', tone: 'slate', meaning: 'accepted for sending' },
  Delivery: { label: 'Delivery', tone: 'green', meaning: 'accepted by the recipient’s server' },
  Opened: { label: 'Opened', tone: 'blue', meaning: 'opened by the recipient' },
  Click: { label: 'Click', tone: 'sky', meaning: 'link clicked by the recipient' },
  TransientFailure: { label: 'Deferred', tone: 'amber', meaning: 'failed temporarily, will be retried' },
  Delayed: { label: 'Delayed', tone: 'ochre', meaning: 'waiting for the next attempt' },
  Bounce: { label: 'Bounce', tone: 'red', meaning: 'permanently failed' },
  OOBBounce: { label: 'Late bounce', tone: 'rose', meaning: 'bounced after it was accepted' },
  Feedback: { label: 'Complaint', tone: 'violet', meaning: 'reported as spam' },
}

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as readonly EventType[]

export function isEventType(value: string): value is EventType {
  return Object.hasOwn(EVENT_KINDS, value)
}
