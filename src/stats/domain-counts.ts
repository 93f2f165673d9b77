/** What the statistics count, and which event types feed it. */
import type { EventType } from '../events/event.ts'

export interface DomainCounts {
  readonly bounce: number
  readonly delivery: number
  readonly reception: number
  /** When one of the three last changed, milliseconds. */
  readonly changedAtMs: number
}

/** An OOBBounce feeds nothing: the same message was counted as delivered when the receiver accepted it. */
export const COUNTER_OF_TYPE: Partial<Record<EventType, 'bounce' | 'delivery' | 'reception'>> = {
  Bounce: 'bounce',
  Delivery: 'delivery',
  Reception: 'reception',
}
