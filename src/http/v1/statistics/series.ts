/** GET /v1/stats/series: counts over time. */
import type { FastifyInstance } from 'fastify'
import { toIsoTime } from '../../../lib/clock.ts'
import { known } from '../../../lib/known.ts'
import { getSeries } from '../../../stats/get-series.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toWindow } from '../log/event-filters.ts'
import { SeriesQuery, SeriesSchema } from './series.wire.ts'

export function addSeries(scope: FastifyInstance, { storage, clock }: AppDeps): void {
  routesOf(scope, 'v1', { tenant: 'domainStats' })('GET /v1/stats/series', {
    operationId: 'getSeries',
    summary: 'Counts over time',
    description:
      'Counts of retained events by hour or day, with one series for each value of `group`. Without `from`, the last 24 ' +
      'hours or 30 days. An acknowledged event is counted in the next response.',
    query: SeriesQuery,
    answer: json('The counts.', SeriesSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, query, reply }) {
      const missing = new MissingDays(storage)
      const { bucket, group, limit, domain: domains, type: types, provider, classification } = query
      const filters = known({ types, providers: provider, classifications: classification })
      const { timesMs, endMs, series, rest } = await getSeries(
        { counts: storage.log, domains: storage.control.domains, clock },
        { tenantId, bucket, group, ...known({ domains }), filters, ...toWindow(query), limit },
      )
      // The end is exclusive.
      missing.nameIn(reply, { startTimestamp: (timesMs[0] ?? endMs) / 1000, endTimestamp: endMs / 1000 - 1 })
      const times = timesMs.map(toIsoTime)
      const to = toIsoTime(endMs)
      return { bucket, group, from: times[0] ?? to, to, times, series, rest }
    },
  })
}
