/** POST /ingest/report: bounces and complaints that came back as mail, each as the raw message. */
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
          'A bounce or a complaint that came back as mail: one message as it arrived, headers included. A delivery report ' +
          '(RFC 3464) becomes `OOBBounce` where delivery failed and `Delayed` where it is retried; deliveries that went well ' +
          'become nothing. A complaint (RFC 5965) becomes `Feedback`. A report is tied to its message by what was signed or ' +
          'issued here. One that cannot be tied is listed in `rejected`, kept in quarantine, and marks no message. ' +
          '`Content-Encoding` gzip and zstd are understood. 16 MiB after decompression at most, of which the first 256 KiB ' +
          'are looked at. A report is stored once however often it is sent.',
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
        if (message.length === 0) throw new AppError('invalid_payload', 'the body is empty: send one message')
        return deps.reports.ingest(message)
      })
      metrics.countIngest(REPORT, result)
      metrics.countReport(result)
      return toWireIngestResult(result)
    },
  )
}
