/** The counters of the statistics, and the event types that increment them. */
import type { EventType } from '../events/event.ts'

export interface DomainCounts {
  readonly bounce: number
  readonly delivery: number
  readonly reception: number
  /** Time of the last change of one of the three, in milliseconds. */
  readonly changedAtMs: number
}

/** Not OOBBounce: its message was already counted as delivered when the receiving server accepted it. */
export const COUNTER_OF_TYPE: Partial<Record<EventType, 'bounce' | 'delivery' | 'reception'>> = {
  Bounce: 'bounce',
  Delivery: 'delivery',
  Reception: 'reception',
}
