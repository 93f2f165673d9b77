/** The event log endpoints. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { addGetLogs } from './get-logs.ts'
import { addGetWebhooks } from './get-webhooks.ts'
import { logEventSchema } from './log-event.wire.ts'

export async function addLogsSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  await describeRoutes(scope, 'logs')
  scope.addSchema(logEventSchema(deps.serviceMessageIdField))
  addGetWebhooks(scope, deps)
  addGetLogs(scope, deps)
}
