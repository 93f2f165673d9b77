/** The nine kinds of events: a word, a colour and a meaning for each. */
import type { LogEvent } from '../../../src/http/v1/events.wire.ts'

export type EventType = LogEvent['type']
type Tone = 'slate' | 'green' | 'blue' | 'sky' | 'amber' | 'ochre' | 'red' | 'rose' | 'violet'

interface EventKind {
  readonly label: string
  readonly tone: Tone
  readonly meaning: string
}

/** In the order in which a message meets them. */
export const EVENT_KINDS: Readonly<Record<EventType, EventKind>> = {
  Reception: { label: 'Reception', tone: 'slate', meaning: 'accepted for sending' },
  Delivery: { label: 'Delivery', tone: 'green', meaning: 'accepted by the recipient’s server' },
  Opened: { label: 'Opened', tone: 'blue', meaning: 'opened by the recipient' },
  Click: { label: 'Click', tone: 'sky', meaning: 'a link was clicked' },
  TransientFailure: { label: 'Deferred', tone: 'amber', meaning: 'failed for now, will be tried again' },
  Delayed: { label: 'Delayed', tone: 'ochre', meaning: 'waits for a later attempt' },
  Bounce: { label: 'Bounce', tone: 'red', meaning: 'refused for good' },
  OOBBounce: { label: 'Late bounce', tone: 'rose', meaning: 'refused after it had been accepted' },
  Feedback: { label: 'Complaint', tone: 'violet', meaning: 'reported as spam' },
}

export const EVENT_TYPES = Object.keys(EVENT_KINDS) as readonly EventType[]

export function isEventType(value: string): value is EventType {
  return Object.hasOwn(EVENT_KINDS, value)
}
