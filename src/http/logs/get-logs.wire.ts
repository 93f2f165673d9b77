/** Section 4.1, alternative path: fewer types, fewer fields, no pagination. */
import type { EventType } from '../../events/event.ts'
import type { EventText } from '../../events/log/log-query.ts'
import * as t from '../../lib/json-schema.ts'
import { logEventSchema } from './log-event.wire.ts'

export const RECENT_TYPES = [
  'Reception',
  'Delivery',
  'Bounce',
  'TransientFailure',
  'Opened',
  'Click',
] as const satisfies readonly EventType[]

export const RecentLogQuery = t.object({
  type: t.optional(t.oneOf(RECENT_TYPES, 'Only events of this type. Default: all six.')),
})

const { id, timestamp, domain_name, recipient, response_code, sender, subject, from } =
  logEventSchema('service_message_id').properties

const RecentEventSchema = t.named(
  'RecentEmailLogEvent',
  'One event, reduced to the fields of this endpoint. Unknown fields are omitted.',
  {
    id,
    timestamp,
    domain_name,
    recipient,
    response_code,
    sender,
    subject,
    type: t.oneOf(RECENT_TYPES, 'What happened.'),
    from,
  },
)

export const RecentLogSchema = t.named('RecentEmailLog', 'The newest events of the last 15 days.', {
  events: t.list(t.ref(RecentEventSchema), 'Newest first, at most 1000.', { maxItems: 1000 }),
  count: t.count('Number of events in this response.'),
  filtered_type: t.oneOf([...RECENT_TYPES, ''], 'The requested `type`; empty if none was sent.'),
})

export function pickFields(text: EventText) {
  const event = JSON.parse(text) as Record<string, unknown>
  const fields = Object.keys(RecentEventSchema.properties).filter((field) => field in event)
  return Object.fromEntries(fields.map((field) => [field, event[field]]))
}
