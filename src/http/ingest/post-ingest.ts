/** POST /ingest/events and POST /ingest/{connector}: ingest of events. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isLogDialect } from '../../connectors/log-readers.ts'
import type { Connectors } from '../../connectors/registry.ts'
import type { Connector } from '../../events/ingest/connector.ts'
import { ingestBody } from '../../events/ingest/ingest-events.ts'
import { AppError } from '../../lib/app-error.ts'
import type { AdministrationDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import type { Metrics } from '../observation/metrics.ts'
import { type BodyMemory, readBody } from '../request/request-body.ts'
import {
  ConnectorBody,
  ConnectorParams,
  INGEST_RESULT,
  IngestResultSchema,
  NATIVE,
  NativeBody,
  toWireIngestResult,
} from './post-ingest.wire.ts'

const config = { surface: 'operations', access: { operator: 'ingest' } } as const

const response = {
  200: jsonResponse('Everything counted here is durable.', INGEST_RESULT),
  ...refusals(
    ...WITH_KEY,
    'invalid_payload',
    'not_found',
    'payload_too_large',
    'unsupported_encoding',
    'storage_unavailable',
    'overloaded',
  ),
}

const ABOUT_BODIES =
  'A JSON object, a JSON array or NDJSON, detected from the content. `Content-Encoding` gzip and zstd are supported. At most ' +
  '16 MiB after decompression. Each event is stored once, however often it is sent, so a request without a response can be ' +
  'repeated unchanged.'

export function addPostIngest(
  scope: FastifyInstance,
  deps: AdministrationDeps,
  metrics: Metrics,
  memory: BodyMemory,
): void {
  const { storage, clock, connectors, retentionMs, serviceMessageIdField } = deps
  const { log, control } = storage
  const { domains, quarantine } = control
  const dependencies = { log, domains, quarantine, clock, retentionMs, serviceMessageIdField }

  /** The memory of the body stays reserved until its records are stored. */
  async function ingest(connector: Connector, request: FastifyRequest) {
    const result = await memory.lend(async (reserve) => {
      const body = await readPayload(request, reserve)
      return ingestBody(dependencies, connector, body)
    })
    metrics.countIngest(connector.name, result)
    return toWireIngestResult(result)
  }

  scope.addSchema(IngestResultSchema)
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  scope.post(
    '/ingest/events',
    {
      config,
      schema: {
        operationId: 'ingestEvents',
        summary: 'Ingest events',
        description: `Events in Envelog's own format. ${ABOUT_BODIES}`,
        body: NativeBody,
        response,
      },
    },
    (request) => ingest(requireConnector(connectors, NATIVE), request),
  )
  scope.post<{ Params: { connector: string } }>(
    '/ingest/:connector',
    {
      config,
      schema: {
        operationId: 'ingestRecords',
        summary: 'Ingest records of a mail server',
        description: `Records in a mail server's own format. ${ABOUT_BODIES}`,
        params: ConnectorParams,
        body: ConnectorBody,
        response,
      },
    },
    (request) => {
      const { connector } = request.params
      return ingest(requireConnector(connectors, connector === NATIVE ? undefined : connector), request)
    },
  )
}

function requireConnector(connectors: Connectors, name: string | undefined): Connector {
  const connector = name === undefined ? undefined : connectors.get(name)
  if (connector) return connector
  const known = ['events', 'report', ...[...connectors.keys()].filter((other) => other !== NATIVE)]
  const words =
    name !== undefined && isLogDialect(name)
      ? `Logs of ${name} are read on the mail server: follow them with bin/envelog tail ${name}, import old files with bin/envelog import --format ${name}.`
      : 'Unknown connector.'
  throw new AppError('not_found', `${words} Known: ${known.join(', ')}`)
}

/** For a request without a body there is no stream. */
export async function readPayload(request: FastifyRequest, reserve: (bytes: number) => void): Promise<Buffer> {
  if (request.body === undefined) return Buffer.alloc(0)
  return readBody(request.body as Readable, request.headers['content-encoding'], reserve)
}
