/** GET /webhooks/{domain}: one page of a domain's log. */
import type { FastifyInstance } from 'fastify'
import { listEvents, listMessageEvents } from '../../events/log/list-events.ts'
import { AppError } from '../../lib/app-error.ts'
import { tenantOf } from '../access/access.ts'
import { sendPieces } from '../answers/send-pieces.ts'
import type { AppDeps } from '../app-deps.ts'
import { jsonResponse, refusals, WITH_KEY } from '../docs/openapi.ts'
import {
  DomainParams,
  LOG_PAGE,
  LogPageSchema,
  LogQuery,
  parseLogQuery,
  parseMessageId,
  toLogPageText,
  toMessagePageText,
} from './get-webhooks.wire.ts'

const config = { surface: 'logs', access: { tenant: 'logs' } } as const

export function addGetWebhooks(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, cursors, clock, queryBudgetMs: budgetMs } = deps
  const dependencies = { log: storage.log, domains: storage.control.domains, cursors, clock, budgetMs }
  scope.addSchema(LogPageSchema)

  scope.get<{ Params: { domain: string } }>(
    '/webhooks/:domain',
    {
      config,
      schema: {
        operationId: 'getEmailLogs',
        summary: 'Get email logs',
        description:
          'Events of one sender domain, newest first, with cursor pagination. Filters are combined with AND. Unknown ' +
          'parameters are ignored; a repeated known one is refused. If a search exceeds its time budget, the response has ' +
          'the events found so far, possibly none, and a `next_token` to continue.',
        params: DomainParams,
        querystring: LogQuery,
        response: {
          200: jsonResponse('One page of events.', LOG_PAGE),
          ...refusals(...WITH_KEY, 'invalid_request', 'invalid_cursor', 'domain_not_found', 'not_found'),
        },
      },
    },
    async (request, reply) => {
      const { tenantId } = tenantOf(request)
      const { domain } = request.params
      const messageId = parseMessageId(request.query)
      reply.type('application/json; charset=utf-8')
      if (messageId !== undefined) {
        const pages = await listMessageEvents(dependencies, { tenantId, domain, messageId })
        return sendPieces(reply, toMessagePageText(messageId, pages))
      }
      const page = await listEvents(dependencies, { tenantId, domain, ...parseLogQuery(request.query) })
      return reply.send(toLogPageText(page))
    },
  )
  addWithoutDomain(scope, '/webhooks')
}

/** Section 7: a path without a domain is 400, not 404. */
export function addWithoutDomain(scope: FastifyInstance, path: string): void {
  for (const url of [path, `${path}/`]) {
    scope.get(url, { config, schema: { hide: true } }, async () => {
      throw new AppError('domain_missing', `Domain missing: use ${path}/{domain}`)
    })
  }
}
