/** Endpoints for the operator: ingest, health, metrics. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { addIngest } from '../ingest/ingest.ts'
import { logEventSchema } from '../logs/log-event.wire.ts'
import { addGetMetrics } from './get-metrics.ts'
import { addHealth } from './health.ts'

export async function addOperationsSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'operations')
  scope.addSchema(logEventSchema(deps.serviceMessageIdField))
  addIngest(scope, deps)
  addHealth(scope, deps)
  addGetMetrics(scope, deps.metrics)
}
