/** GET /v1/events: the log over all domains of a tenant, as pages or as a file. */
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'
import { LOG_EVENT, logEventSchema } from '../../logs/log-event.wire.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

const LIMIT_MAX = 1000

export const EVENT_FORMATS = ['json', 'csv', 'ndjson'] as const

/** An event of section 2.1 with the members that our own tracking adds. A brand changes the name `service_message_id` (see `Session`). */
export type LogEvent = EmailEvent & EventExtension

const EVENT_DESCRIPTION =
  'An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null.'

/** A function because the operator's brand is part of one field's name. */
export function v1EventSchema(serviceMessageIdField: string) {
  return t.named(LOG_EVENT, EVENT_DESCRIPTION, {
    ...logEventSchema(serviceMessageIdField).properties,
    url: t.optional(t.text('The target of a click.')),
    machine: t.optional(t.text('The kind of machine that opened or clicked; absent if it may have been a person.')),
  })
}

export const EventsQuery = t.object({
  ...EventFilterParameters.properties,
  ...WindowParameters.properties,
  limit: t.pageSize(100, LIMIT_MAX, `Page size; above ${LIMIT_MAX} it counts as ${LIMIT_MAX}. Ignored for files.`),
  cursor: t.optional(
    t.text(
      '`next` of the previous page. It contains the filters and the window of the first page: send it alone, or with the ' +
        'same filters. `limit` may change. Valid for 24 hours.',
    ),
  ),
  format: t.preset(
    t.oneOf(
      EVENT_FORMATS,
      '`json`: a page. `csv`, `ndjson`: all matching events, as a file of any size. In CSV, cells that a spreadsheet would ' +
        "interpret as a formula get a `'` in front.",
      { default: 'json' },
    ),
  ),
})

export const EventsPageSchema = t.named('EventsPage', 'One page of the log of all domains.', {
  events: t.raw<readonly LogEvent[]>(
    { type: 'array', items: { $ref: LOG_EVENT } },
    'Newest first: by timestamp, then in a fixed order that does not change when events arrive.',
  ),
  next: t.textOrNull(
    'Cursor for the next page; null on the last page. A page may be short, or empty, and still have one, because a ' +
      'search that exceeds its time budget returns the events found so far.',
  ),
  searchedTo: t.time('The window has been searched from its end back to this time.'),
})
export type EventsPage = t.Static<typeof EventsPageSchema>
