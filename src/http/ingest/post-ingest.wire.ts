/** Ingest: what is sent and what comes back. */
import { Type } from 'typebox'
import { CONNECTOR_NAMES } from '../../connectors/registry.ts'
import type { IngestResult } from '../../events/ingest/ingest-events.ts'
import { LOG_EVENT } from '../logs/log-event.wire.ts'

/** Served under /ingest/events; its own name is no address. */
export const NATIVE = 'native'

const MEDIA_TYPES = ['application/json', 'application/x-ndjson']

/** The same for every media type: what a body is, is decided by its content, never by its Content-Type. */
function bodyOf(description: string, schema: object) {
  return { description, content: Object.fromEntries(MEDIA_TYPES.map((type) => [type, { schema }])) }
}

export const NativeBody = bodyOf('One event, an array of events, or one event a line.', {
  anyOf: [{ $ref: LOG_EVENT }, { type: 'array', items: { $ref: LOG_EVENT } }],
})

export const ConnectorBody = bodyOf("One record of the connector's own form, an array of them, or one a line.", {})

export const ReportBody = {
  description: 'One message as it arrived, whatever the Content-Type says.',
  content: { 'message/rfc822': { schema: { type: 'string', format: 'binary' } } },
}

export const ConnectorParams = Type.Object({
  connector: Type.Enum(
    CONNECTOR_NAMES.filter((name) => name !== NATIVE),
    { type: 'string', description: 'Name of the form that the sending engine writes its records in.' },
  ),
})

export const INGEST_RESULT = 'IngestResult'

export const IngestResultSchema = Type.Object(
  {
    stored: Type.Integer({ minimum: 0, description: 'Events that are in the log now and were not before.' }),
    duplicates: Type.Integer({
      minimum: 0,
      description: 'Events that were there already. Two events differ when any field differs.',
    }),
    rejected: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Place of the record in the request, from 0.' }),
        error: Type.String({ description: 'Why it cannot be stored.' }),
      }),
      {
        description:
          'Records that cannot be stored: malformed, of an unknown domain, older than retention, more than a day in the ' +
          'future. They are kept in quarantine and never fail the rest of the request.',
      },
    ),
  },
  { $id: INGEST_RESULT, description: 'Sent only after everything that it counts is durable.' },
)

export function toWireIngestResult({ stored, duplicates, rejected }: IngestResult) {
  return { stored, duplicates, rejected: rejected.map(({ index, error }) => ({ index, error })) }
}
