/** Ingest: request bodies and the result. */
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import * as t from '../../lib/json-schema.ts'
import { LOG_EVENT } from '../logs/log-event.wire.ts'

/** Served under /ingest/events, not under its own name. */
export const NATIVE = 'native'

const MEDIA_TYPES = ['application/json', 'application/x-ndjson']

/** The same for every media type: the format is detected from the content, never from the Content-Type. */
function bodyOf(description: string, schema: object) {
  return { description, content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }])) }
}

export const NativeBody = bodyOf(
  'One event, an array of events, or one event per line. An event may also have `sending_address`, `sending_source`, ' +
    '`sending_pool` and `next_attempt`, which only /v1 returns; invalid values of these four are left out.',
  {
    anyOf: [{ $ref: LOG_EVENT }, { type: 'array', items: { $ref: LOG_EVENT } }],
  },
)

export const ConnectorBody = bodyOf(
  "One record in the connector's format, an array of records, or one record per line.",
  {},
)

export const ReportBody = {
  description: 'One raw message as it arrived, regardless of the Content-Type.',
  content: { 'message/rfc822': { schema: { type: 'string', format: 'binary' } } },
}

export const ConnectorParams = t.object({
  connector: t.oneOf(
    CONNECTOR_NAMES.filter((name) => name !== NATIVE),
    "Name of the mail server's record format.",
  ),
})

export const IngestResultSchema = t.named('IngestResult', 'Sent once everything it counts is durable.', {
  stored: t.count('Events that were added to the log.'),
  duplicates: t.count(
    'Events that were stored before. Two events are different if any field of the interface differs.',
  ),
  rejected: t.list(
    t.object({
      index: t.count('Index of the record in the request, counting from 0.'),
      error: t.text('Why it cannot be stored.'),
    }),
    'Records that cannot be stored: malformed, of an unknown domain, older than the retention period, more than a day in ' +
      "the future, or beyond the tenant's quota of events. They are quarantined; the rest of the request is stored.",
  ),
  skipped: t.optional(
    t.count(
      'Records that were neither stored nor rejected: not about the delivery of a message, or bounce messages and other ' +
        'mail of unknown domains that the source asks to skip. Absent if there are none.',
    ),
  ),
})
