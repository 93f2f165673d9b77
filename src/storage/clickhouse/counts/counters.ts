/** The counters of a domain, as sums of `event_hour`. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE } from '../../../stats/domain-counts.ts'
import type { Counters } from '../../postgres/batches/batch.ts'
import { literal } from '../literals.ts'

export type Counter = keyof Counters

export const COUNTERS: readonly Counter[] = ['bounce', 'delivery', 'reception']

/** By the number of a type, as it is stored. Undefined: it is in no statistics of domains. */
export function counterOf(typeNumber: number): Counter | undefined {
  const type = EVENT_TYPES[typeNumber]
  return type && COUNTER_OF_TYPE[type]
}

/** SQL: each counter, by its name. */
export const SUMS = COUNTERS.map((counter) => `toInt64(sumIf(n, ${isCounted(counter)})) AS ${counter}`).join(', ')

function isCounted(counter: Counter): string {
  const numbers = [...EVENT_TYPES.keys()].filter((number) => counterOf(number) === counter)
  return numbers.map((number) => `type = ${literal(number)}`).join(' OR ')
}
