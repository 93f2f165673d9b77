/** GET /healthz and GET /readyz: liveness and readiness. */
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, NO_SECURITY, refusals } from '../docs/openapi.ts'
import { HEALTH, HealthSchema } from './ops.wire.ts'

const config = { surface: 'operations', access: 'public' } as const

export function addHealth(scope: FastifyInstance, { storage }: AppDeps): void {
  scope.addSchema(HealthSchema)
  scope.get(
    '/healthz',
    {
      config,
      schema: {
        operationId: 'getHealth',
        summary: 'Liveness',
        security: NO_SECURITY,
        response: { 200: jsonResponse('The process is running.', HEALTH), ...refusals() },
      },
    },
    async () => ({ status: 'ok' }),
  )
  scope.get(
    '/readyz',
    {
      config,
      schema: {
        operationId: 'getReadiness',
        summary: 'Readiness',
        description: 'For load balancers: 503 while storage cannot commit, and while the server is shutting down.',
        security: NO_SECURITY,
        response: { 200: jsonResponse('The server is ready.', HEALTH), ...refusals('storage_unavailable') },
      },
    },
    async () => {
      if (!storage.health.writable) throw new AppError('storage_unavailable', 'Storage cannot commit')
      return { status: 'ready' }
    },
  )
}
