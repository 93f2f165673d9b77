/** GET /v1/stats/series: counts over time. */
import type { FastifyInstance } from 'fastify'
import { toIsoTime } from '../../../lib/clock.ts'
import { getSeries } from '../../../stats/get-series.ts'
import { tenantOf } from '../../access/access.ts'
import type { AppDeps } from '../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../docs/openapi.ts'
import { parseQuery } from '../../request/query-parameters.ts'
import { parseWindow } from '../log/event-filters.ts'
import { SERIES_LIMIT_DEFAULT, SERIES_LIMIT_MAX, type Series, SeriesQuery, SeriesSchema } from './series.wire.ts'

export function addSeries(scope: FastifyInstance, { storage, clock }: AppDeps): void {
  scope.addSchema(SeriesSchema)
  scope.get(
    '/v1/stats/series',
    {
      config: { surface: 'v1', access: { tenant: 'domainStats' } },
      schema: {
        operationId: 'getSeries',
        summary: 'Counts over time',
        description:
          'Counts of retained events by hour or day, with one series for each value of `group`. Without `from`, the last 24 ' +
          'hours or 30 days. An acknowledged event is counted in the next response.',
        querystring: SeriesQuery,
        response: {
          200: jsonResponse('The counts.', SeriesSchema.$id),
          ...refusals(...WITH_SESSION, 'invalid_request', 'domain_not_found'),
        },
      },
    },
    async (request): Promise<Series> => {
      const { tenantId } = tenantOf(request)
      const query = parseQuery(SeriesQuery, request.query)
      const { bucket = 'hour', group = 'type', domain, type, provider, classification } = query
      const { timesMs, endMs, series, rest } = await getSeries(
        { counts: storage.log, domains: storage.control.domains, clock },
        {
          tenantId,
          bucket,
          group,
          ...(domain && { domains: domain }),
          filters: {
            ...(type && { types: type }),
            ...(provider && { providers: provider }),
            ...(classification && { classifications: classification }),
          },
          ...parseWindow(request.query),
          limit: Math.min(query.limit ?? SERIES_LIMIT_DEFAULT, SERIES_LIMIT_MAX),
        },
      )
      const times = timesMs.map(toIsoTime)
      return {
        bucket,
        group,
        from: times[0] ?? toIsoTime(endMs),
        to: toIsoTime(endMs),
        times,
        series: series.map(({ key, total, counts }) => ({ key, total, counts: [...counts] })),
        rest: { ...rest, counts: [...rest.counts] },
      }
    },
  )
}
