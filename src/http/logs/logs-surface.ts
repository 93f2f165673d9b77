/** GET /webhooks/{domain} and GET /logs/{domain}: the log of one domain. Section 4.1 of the interface. */
import type { FastifyInstance } from 'fastify'
import { listEvents, listMessageEvents, listRecentEvents, resolveWindow } from '../../events/log/list-events.ts'
import { AppError } from '../../lib/app-error.ts'
import { whileAllowed } from '../access/still-allowed.ts'
import { MissingDays } from '../answers/incomplete.ts'
import { sendPieces } from '../answers/send-pieces.ts'
import type { AppDeps } from '../app-deps.ts'
import { describeRoutes } from '../docs/openapi.ts'
import { goneSignal } from '../request/gone-signal.ts'
import { parseQuery } from '../request/query-parameters.ts'
import { READ_REFUSALS } from '../routes/refusals.ts'
import { json, routesOf } from '../routes/route.ts'
import { pickFields, RECENT_TYPES, RecentLogQuery, RecentLogSchema } from './get-logs.wire.ts'
import {
  DomainParams,
  LogPageSchema,
  LogQuery,
  MessageIdQuery,
  toListRequest,
  toLogPageText,
  toMessagePageText,
} from './get-webhooks.wire.ts'
import { logEventSchema } from './log-event.wire.ts'

export async function addLogsSurface(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const { storage, cursors, clock, queryBudgetMs: budgetMs } = deps
  const dependencies = { log: storage.log, domains: storage.control.domains, cursors, clock, budgetMs }
  await describeRoutes(scope, 'logs')
  scope.addSchema(logEventSchema(deps.serviceMessageIdField))
  const route = routesOf(scope, 'logs', { tenant: 'logs' })

  route('GET /webhooks/:domain', {
    operationId: 'getEmailLogs',
    summary: 'Get email logs',
    description:
      'Events of one sender domain, newest first, with cursor pagination. Filters are combined with AND. Unknown ' +
      'parameters are ignored; a repeated known one is refused. If a search exceeds its time budget, the response has ' +
      'the events found so far, possibly none, and a `next_token` to continue.',
    params: DomainParams,
    query: LogQuery,
    answer: json('One page of events.', LogPageSchema),
    refusals: ['invalid_cursor', 'domain_not_found', ...READ_REFUSALS],
    async handle(call) {
      const asked = { tenantId: call.caller.tenantId, domain: call.params.domain }
      const { message_id: messageId } = parseQuery(MessageIdQuery, call.request.query)
      const reply = call.reply.type('application/json; charset=utf-8')
      const missing = new MissingDays(storage)
      if (messageId === undefined) {
        const signal = goneSignal(reply)
        const page = await listEvents(dependencies, { ...asked, ...toListRequest(call.query), signal })
        return missing.nameIn(reply, page.window).send(toLogPageText(page))
      }
      const pages = await listMessageEvents(dependencies, { ...asked, messageId })
      const allowed = whileAllowed(deps, call.request, pages)
      return sendPieces(reply, toMessagePageText(messageId, allowed), missing)
    },
  })

  route('GET /logs/:domain', {
    operationId: 'getRecentEmailLogs',
    summary: 'Get recent email logs',
    description:
      'The newest 1000 events of the last 15 days, of six types. No pagination; `GET /webhooks/{domain}` has it, with all ' +
      'types, fields and filters.',
    params: DomainParams,
    query: RecentLogQuery,
    answer: json('The newest events.', RecentLogSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, params: { domain }, query: { type }, reply }) {
      const types = type ? [type] : RECENT_TYPES
      const missing = new MissingDays(storage)
      const window = resolveWindow({}, clock())
      const events = await listRecentEvents(dependencies, { tenantId, domain, types })
      return missing
        .nameIn(reply, window)
        .send({ events: events.map(pickFields), count: events.length, filtered_type: type ?? '' })
    },
  })

  // Section 7: a path without a domain is 400, not 404.
  for (const path of ['/webhooks', '/logs']) {
    const options = { config: { surface: 'logs', access: { tenant: 'logs' } }, schema: { hide: true } } as const
    for (const url of [path, `${path}/`]) {
      scope.get(url, options, async () => {
        throw new AppError('domain_missing', `Domain missing: use ${path}/{domain}`)
      })
    }
  }
}
