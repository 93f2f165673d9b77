/** The operator's part of the interface: ingest, health, metrics. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { addPostIngest } from '../ingest/post-ingest.ts'
import { addPostReport } from '../ingest/post-report.ts'
import { logEventSchema } from '../logs/log-event.wire.ts'
import type { Metrics } from '../metrics.ts'
import { describeRoutes } from '../openapi.ts'
import { BodyMemory } from '../request-body.ts'
import { addGetMetrics } from './get-metrics.ts'
import { addHealth } from './health.ts'

export async function addOperationsSurface(scope: FastifyInstance, deps: AppDeps, metrics: Metrics): Promise<void> {
  await describeRoutes(scope, 'operations')
  scope.addSchema(logEventSchema(deps.serviceMessageIdField))
  const memory = new BodyMemory()
  addPostIngest(scope, deps, metrics, memory)
  addPostReport(scope, deps, metrics, memory)
  addHealth(scope, deps)
  addGetMetrics(scope, metrics)
}
