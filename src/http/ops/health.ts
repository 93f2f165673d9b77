/** GET /healthz and GET /readyz: is it up, and can it do its work? */
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
        summary: 'Is the process up?',
        security: NO_SECURITY,
        response: { 200: jsonResponse('It serves requests.', HEALTH), ...refusals() },
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
        summary: 'Can it do its work?',
        description: 'For load balancers: 503 while storage cannot commit, and while the server is shutting down.',
        security: NO_SECURITY,
        response: { 200: jsonResponse('It can.', HEALTH), ...refusals('storage_unavailable') },
      },
    },
    async () => {
      if (!storage.health.writable) throw new AppError('storage_unavailable', 'Storage cannot commit')
      return { status: 'ready' }
    },
  )
}
