/** GET /t/c/{token}: redirects to the target of a link. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { NO_SECURITY, refusals } from '../docs/openapi.ts'
import { noteHit } from './note-hit.ts'
import { NOT_FOUND_PAGE, TokenParams } from './tracking.wire.ts'

export function addGetClick(scope: FastifyInstance, deps: AppDeps): void {
  const { tracking, metrics } = deps
  scope.get<{ Params: { token: string } }>(
    '/t/c/:token',
    {
      config: { surface: 'tracking', access: 'public' },
      schema: {
        operationId: 'getClick',
        summary: 'Follow a link of a message',
        description:
          'Redirects to the address that is signed into the token, and to no other. A valid token is recorded as a `Click` ' +
          'event. An invalid token gets a page for people, and no redirect.',
        security: NO_SECURITY,
        params: TokenParams,
        response: {
          302: {
            description: 'Redirect to the target.',
            headers: { Location: { schema: { type: 'string' }, description: 'An http or https address.' } },
          },
          ...refusals(),
          404: {
            description: 'The token is not valid.',
            content: { 'text/html': { schema: { type: 'string' } } },
          },
        },
      },
    },
    async (request, reply) => {
      const fields = tracking.tokens.open('click', request.params.token)
      if (fields?.target === undefined) {
        metrics.countHit('click', 'invalid')
        return reply.code(404).type('text/html; charset=utf-8').send(NOT_FOUND_PAGE)
      }
      await noteHit(deps, request, fields)
      return reply.redirect(fields.target, 302)
    },
  )
}
