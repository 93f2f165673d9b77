/** GET /t/o/{token}: the pixel of a message. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { NO_SECURITY, refusals } from '../docs/openapi.ts'
import { noteHit } from './note-hit.ts'
import { PIXEL, TokenParams } from './tracking.wire.ts'

export function addGetOpen(scope: FastifyInstance, deps: AppDeps): void {
  const { tracking, metrics } = deps
  scope.get<{ Params: { token: string } }>(
    '/t/o/:token',
    {
      config: { surface: 'tracking', access: 'public' },
      schema: {
        operationId: 'getOpen',
        summary: 'Get the pixel of a message',
        description:
          'An image of 43 bytes. A valid token is recorded as an `Opened` event. An invalid token gets the same image: a ' +
          'reader should not see a broken picture, and an attacker should not learn which tokens are valid.',
        security: NO_SECURITY,
        params: TokenParams,
        response: {
          200: {
            description: 'The image.',
            content: { 'image/gif': { schema: { type: 'string', format: 'binary' } } },
          },
          ...refusals(),
        },
      },
    },
    async (request, reply) => {
      const fields = tracking.tokens.open('open', request.params.token)
      if (fields) await noteHit(deps, request, fields)
      else metrics.countHit('open', 'invalid')
      // Embedded in messages, that is, in pages of webmail sites.
      return reply.header('cross-origin-resource-policy', 'cross-origin').type('image/gif').send(PIXEL)
    },
  )
}
