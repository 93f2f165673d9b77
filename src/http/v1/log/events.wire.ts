/** GET /v1/events: the log over all domains of a tenant, as pages or as a file. */
import { type Static, Type } from 'typebox'
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import { LOG_EVENT, logEventSchema } from '../../logs/log-event.wire.ts'
import { named, textOrNull, time } from '../schema.wire.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

export const EVENTS_LIMIT_DEFAULT = 100
export const EVENTS_LIMIT_MAX = 1000

export const EVENT_FORMATS = ['json', 'csv', 'ndjson'] as const

/**
 * An event of section 2.1, with what our own tracking adds to it. Where the operator has a brand, `service_message_id` carries
 * it (see `Session`).
 */
export type LogEvent = EmailEvent & EventExtension

const EVENT_WORDS =
  'One thing that happened to one message. Fields that are not known are left out, never null; only `campaign` may be null.'

/** Made once the operator's brand is known: it is part of one field's name. */
export function v1EventSchema(serviceMessageIdField: string) {
  const { properties } = logEventSchema(serviceMessageIdField)
  const url = Type.Optional(Type.String({ description: 'Of a click: where it led.' }))
  const machine = Type.Optional(
    Type.String({ description: 'What machine opened or clicked, where it was none of people.' }),
  )
  return Type.Object({ ...properties, url, machine }, { $id: LOG_EVENT, description: EVENT_WORDS })
}

export const EventsQuery = Type.Object({
  ...EventFilterParameters.properties,
  ...WindowParameters.properties,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: EVENTS_LIMIT_DEFAULT,
      'x-counts-at-most': EVENTS_LIMIT_MAX,
      description: `Page size; above ${EVENTS_LIMIT_MAX} it counts as ${EVENTS_LIMIT_MAX}. Without meaning for files.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      description:
        'The `next` of a previous page. It carries the filters and the window of the first page: send it alone, or with the ' +
        'same filters. `limit` may change. Valid for 24 hours.',
    }),
  ),
  format: Type.Optional(
    Type.Enum([...EVENT_FORMATS], {
      type: 'string',
      default: 'json',
      description:
        '`json`: a page. `csv`, `ndjson`: everything that matches, as a file of any size. In CSV a cell that a spreadsheet ' +
        "would take for a formula begins with `'`.",
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
        description: 'Newest first: by timestamp, then in an order that stays the same while events arrive.',
      }),
      next: textOrNull(
        'Cursor of the next page; null exactly when the end is reached. A page may be short, or empty, and have one, ' +
          'because a search that takes too long answers with what it found so far.',
      ),
      searchedTo: time('Everything from the end of the window back to this time has been looked at.'),
    },
    { description: 'One page of the log of all domains.' },
  ),
)
export type EventsPage = Static<typeof EventsPageSchema>
