/** Ingest: request bodies and the result. */
import { Type } from 'typebox'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import type { IngestResult } from '../../events/ingest/ingest-events.ts'
import { LOG_EVENT } from '../logs/log-event.wire.ts'

/** Served under /ingest/events, not under its own name. */
export const NATIVE = 'native'

const MEDIA_TYPES = ['application/json', 'application/x-ndjson']

/** The same for every media type: the format is detected from the content, never from the Content-Type. */
function bodyOf(description: string, schema: object) {
  return { description, content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }])) }
}

export const NativeBody = bodyOf('One event, an array of events, or one event per line.', {
  anyOf: [{ $ref: LOG_EVENT }, { type: 'array', items: { $ref: LOG_EVENT } }],
})

export const ConnectorBody = bodyOf(
  "One record in the connector's format, an array of records, or one record per line.",
  {},
)

export const ReportBody = {
  description: 'One raw message as it arrived, regardless of the Content-Type.',
  content: { 'message/rfc822': { schema: { type: 'string', format: 'binary' } } },
}

export const ConnectorParams = Type.Object({
  connector: Type.Enum(
    CONNECTOR_NAMES.filter((name) => name !== NATIVE),
    { type: 'string', description: "Name of the mail server's record format." },
  ),
})

export const INGEST_RESULT = 'IngestResult'

export const IngestResultSchema = Type.Object(
  {
    stored: Type.Integer({ minimum: 0, description: 'Events that were added to the log.' }),
    duplicates: Type.Integer({
      minimum: 0,
      description: 'Events that were stored before. Two events are different if any field differs.',
    }),
    rejected: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Index of the record in the request, counting from 0.' }),
        error: Type.String({ description: 'Why it cannot be stored.' }),
      }),
      {
        description:
          'Records that cannot be stored: malformed, of an unknown domain, older than the retention period, or more than a ' +
          'day in the future. They are quarantined; the rest of the request is stored.',
      },
    ),
  },
  { $id: INGEST_RESULT, description: 'Sent once everything it counts is durable.' },
)

export function toWireIngestResult({ stored, duplicates, rejected }: IngestResult) {
  return { stored, duplicates, rejected: rejected.map(({ index, error }) => ({ index, error })) }
}
