/** GET /v1/events: the log of all domains of the tenant, as pages or as a file. GET /v1/admin/events: the same of all tenants. */
import type { FastifyInstance } from 'fastify'
import * as t from '../../../lib/json-schema.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { content, routesOf } from '../../routes/route.ts'
import { toFilters, toWindow } from './event-filters.ts'
import { createSearch, EXPORT_LIMITS } from './event-search.ts'
import { AnyEventsQuery, EventsPageSchema, EventsQuery } from './events.wire.ts'
import { anyDomainsOf, findReadTenants, OPERATOR_READER, shownToTenants } from './readers.ts'

const ANSWER = content('A page, or a file.', {
  'application/json': EventsPageSchema,
  'text/csv': t.text(),
  'application/x-ndjson': t.text(),
})

export function addEvents(scope: FastifyInstance, deps: AppDeps): void {
  const searchOwn = createSearch(scope, deps, 'log cursor')
  const searchAny = createSearch(scope, deps, 'operator log cursor', anyDomainsOf(deps))

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/events', {
    // A HEAD request would produce a whole export and discard it.
    exposeHeadRoute: false,
    operationId: 'searchEvents',
    summary: 'Search the log',
    description:
      'Events of all domains of the tenant, newest first. Different filters are combined with AND, values of the same ' +
      'filter with OR. Without `from` the window is the last 15 days, or all retained events with `message_id`. A JSON ' +
      'request that exceeds its time budget returns the events found so far and a cursor; CSV and NDJSON responses ' +
      `contain all matching events; if the key is revoked or the session ends meanwhile, the connection is broken off. A tenant can run ${EXPORT_LIMITS.perTenant} exports at a time.`,
    query: EventsQuery,
    answer: ANSWER,
    refusals: ['invalid_cursor', 'domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId: reader }, query, request, reply }) {
      const shown = shownToTenants(deps)
      const asked = { ...toFilters(query, shown), ...toWindow(query) }
      const { format, limit, cursor } = query
      return searchOwn({ reader, asked, shown, format, limit, cursor }, request, reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/events', {
    exposeHeadRoute: false,
    operationId: 'searchAllEvents',
    summary: 'Search the log of all tenants',
    description:
      'Like `GET /v1/events`, for the domains of all tenants or of those named by `tenant`, and with the fields that say where ' +
      'messages were sent from.',
    query: AnyEventsQuery,
    audit: 'reading',
    answer: ANSWER,
    refusals: ['invalid_cursor', 'domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query, about, request, reply }) {
      const shown = 'sending'
      const tenants = await findReadTenants(deps, query, about)
      const asked = { ...tenants, ...toFilters(query, shown), ...toWindow(query) }
      const { format, limit, cursor } = query
      return searchAny({ reader: OPERATOR_READER, asked, shown, format, limit, cursor }, request, reply)
    },
  })
}
