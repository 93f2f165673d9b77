/** GET /v1/events/stream: events as they arrive, as server-sent events. */
import { Type } from 'typebox'
import { EventFilterParameters } from './event-filters.wire.ts'

/** The same filters as the listing; there is no window, because what arrives late has an old time. */
export const StreamQuery = Type.Object({
  ...EventFilterParameters.properties,
  last_event_id: Type.Optional(
    Type.String({
      description:
        'The same as the header `Last-Event-ID`, which counts where both are sent: for clients that cannot send it with ' +
        'their first request.',
    }),
  ),
})

/** The name (`event:`) under which events of the log are sent; `data:` is the event as JSON, `id:` where to go on. */
export const STREAM_EVENT = 'log'
/**
 * Sent once at the beginning, without data worth reading, so that a client has an `id:` to resume from before anything has
 * arrived; and again now and then, when much that does not match has gone by.
 */
export const STREAM_POSITION = 'position'
