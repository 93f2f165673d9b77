/** GET /t/c/{token}: a link of a message, on to where it leads. */
import type { FastifyInstance } from 'fastify'
import type { AppDeps } from '../app-deps.ts'
import { NO_SECURITY, refusals } from '../openapi.ts'
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
        summary: 'A link of a message',
        description:
          'Redirects to the address that was signed into the token, and to no other. A good token becomes a `Click` event. ' +
          'A bad one leads nowhere: a person gets a page that says so.',
        security: NO_SECURITY,
        params: TokenParams,
        response: {
          302: {
            description: 'On to the target.',
            headers: { Location: { schema: { type: 'string' }, description: 'An http or https address.' } },
          },
          ...refusals(),
          404: {
            description: 'The token is not one of ours.',
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
