/** GET /v1/events: the log over all domains of a tenant, as pages or as a file. */
import type { EmailEvent, EventExtension } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'
import { LOG_EVENT, logEventSchema } from '../../logs/log-event.wire.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'

const LIMIT_MAX = 1000

/** For the operator. */
export const TenantsParameter = t.optional(
  t.list(
    t.text(undefined, { maxLength: 1024 }),
    'Only events of the tenant with this id or name. Default: all tenants. May be repeated; values are combined with OR.',
    { maxItems: 100 },
  ),
)

export const EVENT_FORMATS = ['json', 'csv', 'ndjson'] as const

/** An event of section 2.1 with the members of the extension that the caller may see. A brand changes the name `service_message_id` (see `Session`). */
export type LogEvent = EmailEvent & EventExtension

const EVENT_DESCRIPTION =
  'An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null.'

/** A function because the operator's brand is part of one field's name. */
export function v1EventSchema(serviceMessageIdField: string) {
  return t.named(LOG_EVENT, EVENT_DESCRIPTION, {
    ...logEventSchema(serviceMessageIdField).properties,
    url: t.optional(t.text('The target of a click.')),
    machine: t.optional(t.text('The kind of machine that opened or clicked; absent if it may have been a person.')),
    next_attempt: t.optional(t.count('When the mail server will try again, in Unix seconds, if it has reported that.')),
    sending_address: t.optional(
      t.text(
        'IP address that the message was sent from. This and the next two are shown to the operator, and to tenants if the ' +
          'operator allows it.',
      ),
    ),
    sending_source: t.optional(
      t.text('What the mail server calls the origin: an egress source, a virtual MTA, an instance or transport.'),
    ),
    sending_pool: t.optional(t.text('The group of origins that the source belongs to.')),
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

/** For the operator. */
export const AnyEventsQuery = t.object({
  ...EventsQuery.properties,
  tenant: TenantsParameter,
  domain: t.optional(
    t.list(
      t.text(undefined, { maxLength: 1024 }),
      'Only events of this sender domain. Default: all domains of the tenants. May be repeated; values are combined with OR.',
      { maxItems: 100 },
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
