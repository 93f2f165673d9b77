/** GET /v1/events/stream and GET /v1/admin/events/stream: events as they arrive, as server-sent events. */
import * as t from '../../../lib/json-schema.ts'
import { EventFilterParameters } from './event-filters.wire.ts'
import { AnyEventsQuery } from './events.wire.ts'

const { tenant, domain: anyDomain } = AnyEventsQuery.properties

/** The filters of the listing, without a window: an event that arrives late has an old timestamp. */
export const StreamQuery = t.object({
  ...EventFilterParameters.properties,
  last_event_id: t.optional(
    t.text(
      'The same as the header `Last-Event-ID`, for clients that cannot send the header with their first request. If both ' +
        'are sent, the header counts.',
    ),
  ),
})

/** For the operator. */
export const AnyStreamQuery = t.object({ ...StreamQuery.properties, tenant, domain: anyDomain })

/** The name (`event:`) of log events; `data:` is the event as JSON, `id:` the position to resume after. */
export const STREAM_EVENT = 'log'
/** Carries only an `id:`. Sent at the start, so that there is a position before the first event, and when the stream is idle. */
export const STREAM_POSITION = 'position'
