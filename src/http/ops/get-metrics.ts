/** GET /metrics: for Prometheus. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { NO_SECURITY, refusals } from '../docs/openapi.ts'
import type { Metrics } from '../observation/metrics.ts'

export function addGetMetrics(scope: FastifyInstance, metrics: Metrics): void {
  scope.get(
    '/metrics',
    {
      config: { surface: 'operations', access: 'public' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics',
        description:
          'In the Prometheus text format. Contains route patterns and numbers, but no names of tenants or domains.',
        security: NO_SECURITY,
        response: {
          200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
          ...refusals(),
        },
      },
    },
    async (_request, reply) => {
      const { contentType, text } = await metrics.render()
      return reply.type(contentType).send(text)
    },
  )
}
