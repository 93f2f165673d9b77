/** POST /ingest/report: bounce messages and feedback reports, each as the raw message. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { REPORT } from '../../reports/report-intake.ts'
import type { AdministrationDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { BodyMemory } from '../request/request-body.ts'
import { readPayload } from './post-ingest.ts'
import { INGEST_RESULT, ReportBody, toWireIngestResult } from './post-ingest.wire.ts'

export function addPostReport(
  scope: FastifyInstance,
  deps: AdministrationDeps,
  metrics: Metrics,
  memory: BodyMemory,
): void {
  scope.post(
    '/ingest/report',
    {
      config: { surface: 'operations', access: { operator: 'ingest' } },
      schema: {
        operationId: 'ingestReport',
        summary: 'Ingest a report',
        description:
          'A bounce message or feedback report: one raw message as it arrived, headers included. A delivery status ' +
          'notification (RFC 3464) becomes an `OOBBounce` event if delivery failed and `Delayed` if it is being retried; ' +
          'successful deliveries are ignored. A feedback report (RFC 5965) becomes `Feedback`. A report is tied to its message ' +
          'by a reference that this server signed or issued. A report that cannot be tied is listed in `rejected`, ' +
          'quarantined, and affects no message. `Content-Encoding` gzip and zstd are supported. At most 16 MiB after ' +
          'decompression, of which the first 256 KiB are examined. Each report is stored once, however often it is sent.',
        body: ReportBody,
        response: {
          200: jsonResponse('Everything counted here is durable.', INGEST_RESULT),
          ...refusals(
            ...WITH_KEY,
            'invalid_payload',
            'payload_too_large',
            'unsupported_encoding',
            'storage_unavailable',
            'overloaded',
          ),
        },
      },
    },
    async (request) => {
      const result = await memory.lend(async (reserve) => {
        const message = await readPayload(request, reserve)
        if (message.length === 0)
          throw new AppError('invalid_payload', 'The request body is empty; send one raw message')
        return deps.reports.ingest(message)
      })
      metrics.countIngest(REPORT, result)
      metrics.countReport(result)
      return toWireIngestResult(result)
    },
  )
}
