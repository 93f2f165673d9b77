/** GET /v1/stats/series: counts over time. GET /v1/admin/stats/series: the same of all tenants. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ShownFields } from '../../../events/log/log-query.ts'
import type { AskedDomains, SearchLogDeps } from '../../../events/log/search-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { known } from '../../../lib/known.ts'
import { typesOfFigures } from '../../../stats/figures.ts'
import { getSeries } from '../../../stats/get-series.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toSendingFilters, toWindow } from '../log/event-filters.ts'
import { anyDomainsOf, findTenantIds, OPERATOR_READER, shownToTenants } from '../log/readers.ts'
import { AnySeriesQuery, type Series, type SeriesParameters, SeriesQuery, SeriesSchema } from './series.wire.ts'

interface Reader extends Pick<SearchLogDeps, 'findDomains'> {
  /** The tenant, or who stands for it. */
  readonly tenantId: string
  readonly shown: ShownFields
  readonly tenants?: AskedDomains['tenants']
}

export function addSeries(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock } = deps

  async function answer(
    { findDomains, tenantId, shown, tenants }: Reader,
    query: SeriesParameters,
    reply: FastifyReply,
  ): Promise<Series> {
    const missing = new MissingDays(storage)
    const { bucket, group, limit, domain: domains, provider, classification } = query
    const types = typesOf(query)
    const sending = toSendingFilters(query, shown)
    const filters = { ...known({ types, providers: provider, classifications: classification }), ...sending }
    const { timesMs, endMs, series, rest } = await getSeries(
      { counts: storage.log, domains: storage.control.domains, clock, ...known({ findDomains }) },
      { tenantId, shown, bucket, group, ...known({ domains, tenants }), filters, ...toWindow(query), limit },
    )
    // The end is exclusive.
    missing.nameIn(reply, { startTimestamp: (timesMs[0] ?? endMs) / 1000, endTimestamp: endMs / 1000 - 1 })
    const times = timesMs.map(toIsoTime)
    const to = toIsoTime(endMs)
    return { bucket, group, from: times[0] ?? to, to, times, series, rest }
  }

  routesOf(scope, 'v1', { tenant: 'domainStats' })('GET /v1/stats/series', {
    operationId: 'getSeries',
    summary: 'Counts over time',
    description:
      'Counts of retained events by hour or day, with one series for each value of `group`. Without `from`, the last 24 ' +
      'hours or 30 days. An acknowledged event is counted in the next response.',
    query: SeriesQuery,
    answer: json('The counts.', SeriesSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    handle: ({ caller: { tenantId }, query, reply }) => answer({ tenantId, shown: shownToTenants(deps) }, query, reply),
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/stats/series', {
    operationId: 'getAllSeries',
    summary: 'Counts over time of all tenants',
    description: 'Like `GET /v1/stats/series`, for the domains of all tenants or of those named by `tenant`.',
    query: AnySeriesQuery,
    answer: json('The counts.', SeriesSchema),
    refusals: ['domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query, reply }) {
      const tenants = await findTenantIds(deps, query.tenant)
      const reader = { ...anyDomainsOf(deps), tenantId: OPERATOR_READER, shown: 'sending', ...tenants } as const
      return answer(reader, query, reply)
    },
  })
}

/** Undefined: all. */
function typesOf({ type, figure }: SeriesParameters): SeriesParameters['type'] {
  if (figure === undefined) return type
  if (type !== undefined)
    throw new AppError('invalid_request', 'Send type or figure, not both: a figure is a set of types')
  return typesOfFigures(figure)
}
