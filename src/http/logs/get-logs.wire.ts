/** Section 4.1, alternative path: fewer types, fewer fields, no pagination. */
import { Type } from 'typebox'
import type { EventType } from '../../events/event.ts'
import type { EventText } from '../../events/log/log-query.ts'
import { parseQuery } from '../request/query-parameters.ts'
import { logEventSchema } from './log-event.wire.ts'

export const RECENT_TYPES = [
  'Reception',
  'Delivery',
  'Bounce',
  'TransientFailure',
  'Opened',
  'Click',
] as const satisfies readonly EventType[]

const FIELDS = [
  'id',
  'timestamp',
  'domain_name',
  'recipient',
  'response_code',
  'sender',
  'subject',
  'type',
  'from',
] as const

export const RecentLogQuery = Type.Object({
  type: Type.Optional(
    Type.Enum([...RECENT_TYPES], { type: 'string', description: 'Only events of this type. Default: all six.' }),
  ),
})

/** Throws AppError `invalid_request`. */
export function parseRecentLogQuery(query: unknown): { readonly type?: (typeof RECENT_TYPES)[number] } {
  return parseQuery(RecentLogQuery, query)
}

export const RECENT_EVENT = 'RecentEmailLogEvent'
export const RECENT_LOG = 'RecentEmailLog'

export const RecentEventSchema = Type.Object(
  {
    ...Type.Pick(logEventSchema('service_message_id'), [...FIELDS]).properties,
    type: Type.Enum([...RECENT_TYPES], { type: 'string', description: 'What happened.' }),
  },
  { $id: RECENT_EVENT, description: 'One event, reduced to the fields of this endpoint. Unknown fields are omitted.' },
)

export const RecentLogSchema = Type.Object(
  {
    events: Type.Array(Type.Ref(RECENT_EVENT), { maxItems: 1000, description: 'Newest first, at most 1000.' }),
    count: Type.Integer({ minimum: 0, description: 'Number of events in this response.' }),
    filtered_type: Type.Enum([...RECENT_TYPES, ''], {
      type: 'string',
      description: 'The requested `type`; empty if none was sent.',
    }),
  },
  { $id: RECENT_LOG, description: 'The newest events of the last 15 days.' },
)

export function toRecentLog(events: readonly EventText[], type: string | undefined) {
  return { events: events.map(pickFields), count: events.length, filtered_type: type ?? '' }
}

function pickFields(text: EventText): Record<string, unknown> {
  const event = JSON.parse(text) as Record<string, unknown>
  return Object.fromEntries(FIELDS.filter((field) => field in event).map((field) => [field, event[field]]))
}
