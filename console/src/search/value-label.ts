/** The words for a value of a filter, wherever it is shown. In addresses and typed searches it is the value itself. */
import { EVENT_KINDS, isEventType } from '../kit/marks/event-kinds.ts'
import { printable } from '../kit/text/printable.ts'
import { FILTERS, type FilterName } from './log-search.ts'

export function labelOfValue(name: FilterName, value: string): string {
  const filter = FILTERS[name].excludes ?? name
  if (filter === 'type' && isEventType(value)) return EVENT_KINDS[value].label
  return filter === 'classification' ? labelOfReason(value) : printable(value)
}

/** InvalidRecipient becomes "Invalid recipient". */
export function labelOfReason(classification: string): string {
  return printable(classification).replaceAll(
    /([a-z])([A-Z])/g,
    (_, end: string, start: string) => `${end} ${start.toLowerCase()}`,
  )
}
