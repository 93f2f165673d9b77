/** GET /v1/admin/tracking-secret: for mail servers that insert tracking pixels and links themselves. */
import type { FastifyInstance } from 'fastify'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { type TrackingSecret, TrackingSecretSchema } from './tracking-secret.wire.ts'

export function addAdminTrackingSecret(scope: FastifyInstance, { trackingSecret }: AdministrationDeps): void {
  scope.addSchema(TrackingSecretSchema)
  scope.get(
    '/v1/admin/tracking-secret',
    {
      config: { surface: 'v1', access: { operator: 'admin' } },
      schema: {
        operationId: 'getTrackingSecret',
        summary: 'Get the secret that signs pixels and links',
        description:
          'For a mail server that rewrites messages itself. Anyone who has it can forge opens and clicks, and create links that ' +
          'redirect to any address.',
        response: { 200: jsonResponse('The secret.', TrackingSecretSchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async (): Promise<TrackingSecret> => ({ secret: trackingSecret.toString('base64url') }),
  )
}
