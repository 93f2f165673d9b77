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
/** Has nothing but an `id:`: sent at the beginning, so that there is a place before the first event, and after silence. */
export const STREAM_POSITION = 'position'
