/** Endpoints for the operator: ingest, health, metrics. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import * as t from '../../lib/json-schema.ts'
import { VERSION } from '../../lib/version.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { addIngest } from '../ingest/ingest.ts'
import { logEventSchema } from '../logs/log-event.wire.ts'
import { content, json, routesOf } from '../routes/route.ts'

const HealthSchema = t.named('Health', {
  status: t.oneOf(['ok', 'ready'], '`ok` for liveness, `ready` for readiness; any problem is an error response.'),
  version: t.text('The version of the server.'),
})

export async function addOperationsSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { storage, metrics } = deps
  await describeRoutes(scope, 'operations')
  scope.addSchema(logEventSchema(deps.serviceMessageIdField))
  addIngest(scope, deps)
  const route = routesOf(scope, 'operations', 'public')

  route('GET /healthz', {
    operationId: 'getHealth',
    summary: 'Liveness',
    answer: json('The process is running.', HealthSchema),
    handle: () => ({ status: 'ok', version: VERSION }),
  })

  route('GET /readyz', {
    operationId: 'getReadiness',
    summary: 'Readiness',
    description:
      'For load balancers: 503 while something that ingest needs cannot be written (the control database, the files of the ' +
      'days that are being written, or the disk is full), while the current day is set aside, and while the server is shutting down. ' +
      'If several servers share their databases: 503 while this one cannot reach PostgreSQL or any ClickHouse server. Ready then ' +
      'means that reads are answered; ingest may still respond with 503, as it would on every other server.',
    answer: json('The server is ready.', HealthSchema),
    refusals: ['storage_unavailable'],
    handle() {
      const { unreachable, writable } = storage.health
      if (unreachable ? unreachable.length > 0 : !writable) {
        const reason = unreachable ? `${unreachable.join(' and ')} cannot be reached` : 'Storage cannot commit'
        throw new AppError('storage_unavailable', reason)
      }
      return { status: 'ready', version: VERSION }
    },
  })

  route('GET /metrics', {
    operationId: 'getMetrics',
    summary: 'Metrics',
    description:
      'In the Prometheus text format. Contains route patterns and numbers, but no names of tenants or domains.',
    answer: content('The metrics.', { 'text/plain': t.text() }),
    async handle({ reply }) {
      const { contentType, text: metricsText } = await metrics.render()
      return reply.type(contentType).send(metricsText)
    },
  })
}
