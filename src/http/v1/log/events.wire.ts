/** GET /v1/events: the log over all domains of a tenant, as pages or as a file. */
import { type Static, Type } from 'typebox'
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import { LOG_EVENT, logEventSchema } from '../../logs/log-event.wire.ts'
import { named, textOrNull, time } from '../schema.wire.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

export const EVENTS_LIMIT_DEFAULT = 100
export const EVENTS_LIMIT_MAX = 1000

export const EVENT_FORMATS = ['json', 'csv', 'ndjson'] as const

/** An event of section 2.1 with the members that our own tracking adds. A brand changes the name `service_message_id` (see `Session`). */
export type LogEvent = EmailEvent & EventExtension

const EVENT_DESCRIPTION =
  'An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null.'

/** A function because the operator's brand is part of one field's name. */
export function v1EventSchema(serviceMessageIdField: string) {
  const { properties } = logEventSchema(serviceMessageIdField)
  const url = Type.Optional(Type.String({ description: 'The target of a click.' }))
  const machine = Type.Optional(
    Type.String({ description: 'What kind of machine opened or clicked, if it was not a person.' }),
  )
  return Type.Object({ ...properties, url, machine }, { $id: LOG_EVENT, description: EVENT_DESCRIPTION })
}

export const EventsQuery = Type.Object({
  ...EventFilterParameters.properties,
  ...WindowParameters.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: EVENTS_LIMIT_DEFAULT,
      'x-counts-at-most': EVENTS_LIMIT_MAX,
      description: `Page size; above ${EVENTS_LIMIT_MAX} it counts as ${EVENTS_LIMIT_MAX}. Ignored for files.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        '`next` of the previous page. It contains the filters and the window of the first page: send it alone, or with the ' +
        'same filters. `limit` may change. Valid for 24 hours.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...EVENT_FORMATS], {
      type: 'string',
      default: 'json',
      description:
        '`json`: a page. `csv`, `ndjson`: all matching events, as a file of any size. In CSV, cells that a spreadsheet would ' +
        "interpret as a formula get a `'` in front.",
    }),
  ),
})

export const EventsPageSchema = named(
  'EventsPage',
  Type.Object(
    {
      events: Type.Unsafe<LogEvent[]>({
        type: 'array',
        items: { $ref: LOG_EVENT },
        description: 'Newest first: by timestamp, then in a fixed order that does not change when events arrive.',
      }),
      next: textOrNull(
        'Cursor for the next page; null on the last page. A page may be short, or empty, and still have one, because a ' +
          'search that exceeds its time budget returns the events found so far.',
      ),
      searchedTo: time('The window has been searched from its end back to this time.'),
    },
    { description: 'One page of the log of all domains.' },
  ),
)
export type EventsPage = Static<typeof EventsPageSchema>
