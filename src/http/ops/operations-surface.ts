/** Endpoints for the operator: ingest, health, metrics. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import * as t from '../../lib/json-schema.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { addIngest } from '../ingest/ingest.ts'
import { logEventSchema } from '../logs/log-event.wire.ts'
import { content, json, routesOf } from '../routes/route.ts'

const HealthSchema = t.named('Health', {
  status: t.oneOf(['ok', 'ready'], '`ok` for liveness, `ready` for readiness; any problem is an error response.'),
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
    handle: () => ({ status: 'ok' }),
  })

  route('GET /readyz', {
    operationId: 'getReadiness',
    summary: 'Readiness',
    description:
      'For load balancers: 503 while something that ingest needs cannot be written (the control database, the files of the ' +
      'days that are being written, or the disk is full), while the present day is set aside, and while the server is shutting down.',
    answer: json('The server is ready.', HealthSchema),
    refusals: ['storage_unavailable'],
    handle() {
      if (!storage.health.writable) throw new AppError('storage_unavailable', 'Storage cannot commit')
      return { status: 'ready' }
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
