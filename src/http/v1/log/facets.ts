/** GET /v1/events/facets: counts of the events that match a search. GET /v1/admin/events/facets: the same of all tenants. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AskedLog } from '../../../events/log/cursor.ts'
import type { ShownFields } from '../../../events/log/log-query.ts'
import type { SearchLogDeps } from '../../../events/log/search-log.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { getFacets } from '../../../stats/get-facets.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import type { AppDeps } from '../../app-deps.ts'
import { goneSignal } from '../../request/gone-signal.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toFilters, toWindow } from './event-filters.ts'
import { AnyFacetsQuery, type Facets, FacetsQuery, FacetsSchema } from './facets.wire.ts'
import { anyDomainsOf, findTenantIds, OPERATOR_READER, shownToTenants } from './readers.ts'

interface Asking extends Pick<SearchLogDeps, 'findDomains'> {
  /** The tenant, or who stands for it. */
  readonly tenantId: string
  readonly asked: AskedLog
  readonly shown: ShownFields
  readonly limit: number
}

export function addFacets(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps

  async function answer({ limit, findDomains, ...request }: Asking, reply: FastifyReply): Promise<Facets> {
    const missing = new MissingDays(storage)
    const dependencies = { log: storage.log, domains: storage.control.domains, clock, budgetMs }
    const found = await getFacets(
      { ...dependencies, ...(findDomains && { findDomains }) },
      { ...request, signal: goneSignal(reply) },
    )
    missing.nameIn(reply, found.window)
    const { total, isExact, counted, facets, bucketSeconds, buckets } = found
    return {
      total,
      isExact,
      countedFrom: toIsoTime(counted.startTimestamp * 1000),
      countedTo: toIsoTime((counted.endTimestamp + 1) * 1000),
      facets: facets.map(({ field: name, isExact: isOwn, isNewestOnly, values }) => ({
        name,
        isExact: isOwn,
        isNewestOnly,
        values: values.slice(0, limit),
        more: Math.max(0, values.length - limit),
      })),
      bucketSeconds,
      buckets: buckets.map(({ start, type, count }) => ({ from: toIsoTime(start * 1000), type, count })),
    }
  }

  routesOf(scope, 'v1', { tenant: 'logs' })('GET /v1/events/facets', {
    operationId: 'countEvents',
    summary: 'Count the events of a search',
    description:
      'The number of events that match, by type, domain, provider, classification, response code and masked response, and over time, with the ' +
      'parameters of `GET /v1/events`. It is exact if the events can be counted within the time budget of a request; otherwise it ' +
      'is taken from the counts by hour, if the filters are ones that those know, or covers only the newest events.',
    query: FacetsQuery,
    answer: json('The counts.', FacetsSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    handle({ caller: { tenantId }, query, reply }) {
      const shown = shownToTenants(deps)
      const asked = { ...toFilters(query, shown), ...toWindow(query) }
      return answer({ tenantId, asked, shown, limit: query.limit }, reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/events/facets', {
    operationId: 'countAllEvents',
    summary: 'Count the events of a search in the log of all tenants',
    description:
      'Like `GET /v1/events/facets`, for the domains of all tenants or of those named by `tenant`, and by sending address, source and pool.',
    query: AnyFacetsQuery,
    answer: json('The counts.', FacetsSchema),
    refusals: ['domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query, reply }) {
      const shown = 'sending'
      const tenants = await findTenantIds(deps, query.tenant)
      const asked = { ...tenants, ...toFilters(query, shown), ...toWindow(query) }
      return answer({ ...anyDomainsOf(deps), tenantId: OPERATOR_READER, asked, shown, limit: query.limit }, reply)
    },
  })
}
