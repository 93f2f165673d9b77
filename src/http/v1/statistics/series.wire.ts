/** GET /v1/stats/series: counts over time, read from the hourly counters. */
import { OTHER_ORIGINS } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'
import { FIGURE_IDS } from '../../../stats/figures.ts'
import { ORIGINS_PER_DAY, SERIES_BUCKETS, SERIES_GROUPS } from '../../../stats/series.ts'
import { EventFilterParameters, WindowParameters } from '../log/event-filters.wire.ts'
import { AnyEventsQuery } from '../log/events.wire.ts'

const { domain, type, provider, classification, sending_address, sending_source, sending_pool } =
  EventFilterParameters.properties

const GROUPS = [...SERIES_GROUPS, 'figure'] as const

export const SeriesQuery = t.object({
  bucket: t.preset(t.oneOf(SERIES_BUCKETS, 'Period of each count: an hour, or a day in UTC.', { default: 'hour' })),
  group: t.preset(
    t.oneOf(
      GROUPS,
      'One series for each event type, receiving provider, bounce classification or sender domain; for each figure of ' +
        '`GET /v1/stats/figures`; or for each sending address, source or pool, which count only events whose mail server ' +
        'has reported one. 403 for a tenant unless the operator shows tenants where messages were sent from.',
      {
        default: 'type',
      },
    ),
  ),
  ...WindowParameters.properties,
  domain,
  type,
  figure: t.optional(
    t.list(t.oneOf(FIGURE_IDS), 'Only events that this figure counts. May be repeated. Not together with `type`.', {
      maxItems: FIGURE_IDS.length,
    }),
  ),
  provider,
  classification,
  sending_address,
  sending_source,
  sending_pool,
  limit: t.pageSize(100, 1000, 'Maximum number of series, the largest first; the others are summed in `rest`.'),
})

export type SeriesParameters = t.Static<typeof SeriesQuery>
const { tenant, domain: anyDomain } = AnyEventsQuery.properties

/** For the operator. */
export const AnySeriesQuery = t.object({ ...SeriesQuery.properties, tenant, domain: anyDomain })

const counts = t.list(t.count(), 'One for each of `times`.')

export const SeriesSchema = t.named('Series', 'Counts over time.', {
  bucket: t.oneOf(SERIES_BUCKETS),
  group: t.oneOf(GROUPS),
  from: t.time('Start of the first bucket: the requested start, rounded down to a bucket.'),
  to: t.time('End of the last bucket, exclusive: the requested end, rounded up to a bucket.'),
  times: t.list(t.time('Start of a bucket.'), 'All buckets of the window, oldest first.'),
  series: t.list(
    t.object({
      key: t.text(
        `Value of \`group\`: a type, a provider… Empty for events without a provider or classification. \`${OTHER_ORIGINS}\`: sending ` +
          `addresses, sources or pools beyond the first ${ORIGINS_PER_DAY} of a domain and day.`,
      ),
      total: t.count('Sum of the counts.'),
      counts,
    }),
    'Largest total first. Series without events are omitted.',
  ),
  rest: t.object(
    { keys: t.count('Number of omitted series.'), total: t.count('Sum of the counts.'), counts },
    'Sum of the series beyond `limit`.',
  ),
})
export type Series = t.Static<typeof SeriesSchema>
