/** GET /t/o/{token} and GET /t/c/{token}: pixels and links, for recipients of mail. Public, under every host name. */
import type { FastifyInstance } from 'fastify'
import * as t from '../../lib/json-schema.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { content, routesOf } from '../routes/route.ts'
import { noteHit } from './note-hit.ts'
import { NOT_FOUND_PAGE, PIXEL, TokenParams } from './tracking.wire.ts'

export async function addTrackingSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { tracking, metrics } = deps
  await describeRoutes(scope, 'tracking')
  const route = routesOf(scope, 'tracking', 'public')

  route('GET /t/o/:token', {
    operationId: 'getOpen',
    summary: 'Get the pixel of a message',
    description:
      'An image of 43 bytes. A valid token is recorded as an `Opened` event. An invalid token gets the same image: a ' +
      'reader should not see a broken picture, and an attacker should not learn which tokens are valid.',
    params: TokenParams,
    answer: content('The image.', { 'image/gif': t.text(undefined, { format: 'binary' }) }),
    async handle({ params, request, reply }) {
      const fields = tracking.tokens.open('open', params.token)
      if (fields) await noteHit(deps, request, fields)
      else metrics.countHit('open', 'invalid')
      // Embedded in messages, that is, in pages of webmail sites.
      return reply.header('cross-origin-resource-policy', 'cross-origin').type('image/gif').send(PIXEL)
    },
  })

  route('GET /t/c/:token', {
    operationId: 'getClick',
    summary: 'Follow a link of a message',
    description:
      'Redirects to the address that is signed into the token, and to no other. A valid token is recorded as a `Click` ' +
      'event. An invalid token gets a page for people, and no redirect.',
    params: TokenParams,
    answer: {
      status: 302,
      response: {
        description: 'Redirect to the target.',
        headers: { Location: { schema: { type: 'string' }, description: 'An http or https address.' } },
      },
    },
    responses: { 404: content('The token is not valid.', { 'text/html': t.text() }).response },
    async handle({ params, request, reply }) {
      const fields = tracking.tokens.open('click', params.token)
      if (fields?.target === undefined) {
        metrics.countHit('click', 'invalid')
        return reply.code(404).type('text/html; charset=utf-8').send(NOT_FOUND_PAGE)
      }
      await noteHit(deps, request, fields)
      // With the declared status.
      return reply.redirect(fields.target)
    },
  })
}
