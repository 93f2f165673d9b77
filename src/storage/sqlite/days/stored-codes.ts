/** Event types and response codes as day files have them. */
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'

/** Deliveries: too common for an index to pay off, see the partial index `event_by_code`. */
export const UNINDEXED_CODE = 250
/** Response codes are below this. */
export const CODES = 1000

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, index) => [type, index]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? -1
}
