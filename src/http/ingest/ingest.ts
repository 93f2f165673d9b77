/** POST /ingest/events, POST /ingest/{connector} and POST /ingest/report. */
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLogDialect } from '../../connectors/log-readers.ts'
import type { Connectors } from '../../connectors/registry.ts'
import type { Connector } from '../../events/ingest/connector.ts'
import { type IngestResult, ingestBody } from '../../events/ingest/ingest-events.ts'
import { sourceOfKey } from '../../events/ingest/quarantine-room.ts'
import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { Turn } from '../../lib/turns/turn.ts'
import { WorkBudgets } from '../../lib/turns/work-budgets.ts'
import { REPORT } from '../../reports/report-intake.ts'
import { createEventTies } from '../../reports/tie-event.ts'
import type { Principal } from '../../tenants/principal.ts'
import type { AdministrationDeps } from '../app-deps.ts'
import { BodyMemory } from '../request/body-memory.ts'
import { readBody } from '../request/request-body.ts'
import { json, routesOf } from '../routes/route.ts'
import {
  ConnectorBody,
  ConnectorParams,
  IngestResultSchema,
  NATIVE,
  NativeBody,
  ReportBody,
} from './post-ingest.wire.ts'

const shared = {
  answer: json('Everything counted here is durable.', IngestResultSchema),
  refusals: ['storage_unavailable', 'overloaded', 'quota_exceeded'],
} as const

/** Processor time for the reports of one key. A report takes a few milliseconds, the worst about a hundred. */
export const REPORT_WORK = { burstMs: 60_000, perMinuteMs: 30_000 } as const

const ABOUT_BODIES =
  'A JSON object, a JSON array or NDJSON, detected from the content. `Content-Encoding` gzip and zstd are supported. At most ' +
  '16 MiB after decompression, and at most 1 MiB plus 500 times the compressed size. Each event is stored once, however ' +
  "often it is sent, so a request without a response can be repeated unchanged. With a tenant's key, domains of other " +
  "tenants are unknown, and a request beyond the tenant's quota of events is refused as a whole. With an operator's key, " +
  'records beyond the quota of their tenant are rejected. While the quarantine has no room for the rejected records of a ' +
  'key, a request with such records is answered with 429; its other records are stored.'

interface IngestCall {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly caller: Principal
}

export function addIngest(scope: FastifyInstance, deps: AdministrationDeps): void {
  const { storage, clock, connectors, metrics, reports, retentionMs, serviceMessageIdField, eventQuotas: quotas } = deps
  const { retention: knownTime } = deps
  const { log, control } = storage
  const { domains, quarantine, keys } = control
  const time = { clock, knownTime, retentionMs }
  const tieEvent = createEventTies({ references: deps.references, domains, log, clock })
  const dependencies = { log, domains, quarantine, keys, ...time, serviceMessageIdField, quotas, tieEvent }
  /** Shared by all request bodies. The memory of a body stays reserved until its records are stored. */
  const memory = new BodyMemory()
  const work = new WorkBudgets(REPORT_WORK)
  const route = routesOf(scope, 'operations', { operator: 'ingest', tenant: 'ingest' })
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  async function ingest<T extends IngestResult>(
    name: string,
    { request: { body, headers }, caller: { keyId } }: Omit<IngestCall, 'reply'>,
    store: (body: Buffer) => Promise<T>,
  ): Promise<T> {
    const result = await memory.lend(keyId, async (loan) => {
      // For a request without a body there is no stream.
      if (body === undefined) return store(Buffer.alloc(0))
      return store(await readBody(body as Readable, headers, { keyId, loan }))
    })
    metrics.countIngest(name, result)
    return result
  }

  const ingestWith = async (connector: Connector, { request, reply, caller }: IngestCall) => {
    const origin = { source: sourceOfKey(caller.keyId), ...(caller.kind === 'tenant' && { tenantId: caller.tenantId }) }
    const store = (body: Buffer) => ingestBody(dependencies, connector, body, origin)
    return toWireResult(await ingest(connector.name, { request, caller }, store), reply)
  }

  route('POST /ingest/events', {
    operationId: 'ingestEvents',
    summary: 'Ingest events',
    description: `Events in Envelog's own format. ${ABOUT_BODIES}`,
    rawBody: NativeBody,
    ...shared,
    handle: (call) => ingestWith(requireConnector(connectors, NATIVE), call),
  })

  route('POST /ingest/:connector', {
    operationId: 'ingestRecords',
    summary: 'Ingest records of a mail server',
    description: `Records in a mail server's own format. ${ABOUT_BODIES}`,
    params: ConnectorParams,
    rawBody: ConnectorBody,
    ...shared,
    handle: ({ params: { connector }, request, reply, caller }) =>
      ingestWith(requireConnector(connectors, connector === NATIVE ? undefined : connector), {
        request,
        reply,
        caller,
      }),
  })

  route('POST /ingest/report', {
    operationId: 'ingestReport',
    // Of any tenant: the reference in the message decides whose it is.
    access: { operator: 'ingest' },
    summary: 'Ingest a report',
    description:
      'A bounce message or feedback report: one raw message as it arrived, headers included. A delivery status ' +
      'notification (RFC 3464) becomes an `OOBBounce` event if delivery failed and `Delayed` if it is being retried; ' +
      'successful deliveries are ignored. A feedback report (RFC 5965) becomes `Feedback`. A report is tied to its message ' +
      'by a reference that this server signed or issued. A report that cannot be tied is listed in `rejected`, ' +
      'quarantined, and affects no message. `Content-Encoding` gzip and zstd are supported. At most 16 MiB after ' +
      'decompression, of which the first 256 KiB are examined. Each report is stored once, however often it is sent.',
    rawBody: ReportBody,
    ...shared,
    refusals: [...shared.refusals, 'too_many_requests'],
    async handle({ request, reply, caller }) {
      const { keyId } = caller
      if (work.isSpent(keyId, clock()))
        throw new AppError(
          'too_many_requests',
          'The reports of this key have used up their processor time; retry later',
          {
            retryAfterSeconds: work.waitSeconds(keyId, clock()),
          },
        )
      const result = await ingest(REPORT, { request, caller }, async (message) => {
        if (message.length === 0)
          throw new AppError('invalid_payload', 'The request body is empty; send one raw message')
        const report = await reports.examine(message, sourceOfKey(keyId))
        work.charge(keyId, report.workMs, clock())
        return report.store()
      })
      metrics.countReport(result)
      return toWireResult(result, reply)
    },
  })
}

/** Rejected records that are written at a time: a long list in one piece would hold up all other requests. */
const WRITTEN_AT_ONCE = 500

function toWireResult({ stored, duplicates, rejected, skipped }: IngestResult, reply: FastifyReply) {
  const more = skipped === undefined ? {} : { skipped }
  if (rejected.length <= WRITTEN_AT_ONCE)
    return { stored, duplicates, rejected: rejected.map(({ index, error }) => ({ index, error })), ...more }
  const long = writeLong({ stored, duplicates, rejected, ...more })
  return reply.type('application/json; charset=utf-8').send(Readable.from(long))
}

async function* writeLong({ stored, duplicates, rejected, skipped }: IngestResult): AsyncGenerator<string> {
  const turn = new Turn()
  yield `{"stored":${stored},"duplicates":${duplicates},"rejected":[`
  for (let at = 0; at < rejected.length; at += WRITTEN_AT_ONCE) {
    const part = rejected.slice(at, at + WRITTEN_AT_ONCE).map(({ index, error }) => JSON.stringify({ index, error }))
    yield `${at > 0 ? ',' : ''}${part.join(',')}`
    await turn.share()
  }
  yield skipped === undefined ? ']}' : `],"skipped":${skipped}}`
}

function requireConnector(connectors: Connectors, name: string | undefined): Connector {
  const connector = name === undefined ? undefined : connectors.get(name)
  if (connector) return connector
  const known = ['events', 'report', ...[...connectors.keys()].filter((other) => other !== NATIVE)]
  const words =
    name !== undefined && isLogDialect(name)
      ? `Logs of ${name} are read on the mail server: follow them with ${PROGRAM} tail ${name}, import old files with ${PROGRAM} import --format ${name}.`
      : 'Unknown connector.'
  throw new AppError('not_found', `${words} Known: ${known.join(', ')}`)
}
