/** GET /v1/stats/series: counts over time, read from the hourly counters. */
import * as t from '../../../lib/json-schema.ts'
import { SERIES_BUCKETS, SERIES_GROUPS } from '../../../stats/series.ts'
import { EventFilterParameters, WindowParameters } from '../log/event-filters.wire.ts'

const { domain, type, provider, classification } = EventFilterParameters.properties

export const SeriesQuery = t.object({
  bucket: t.preset(t.oneOf(SERIES_BUCKETS, 'Period of each count: an hour, or a day in UTC.', { default: 'hour' })),
  group: t.preset(
    t.oneOf(
      SERIES_GROUPS,
      'One series for each event type, receiving provider, bounce classification or sender domain.',
      {
        default: 'type',
      },
    ),
  ),
  ...WindowParameters.properties,
  domain,
  type,
  provider,
  classification,
  limit: t.pageSize(100, 1000, 'Maximum number of series, the largest first; the others are summed in `rest`.'),
})

const counts = t.list(t.count(), 'One for each of `times`.')

export const SeriesSchema = t.named('Series', 'Counts over time.', {
  bucket: t.oneOf(SERIES_BUCKETS),
  group: t.oneOf(SERIES_GROUPS),
  from: t.time('Start of the first bucket: the requested start, rounded down to a bucket.'),
  to: t.time('End of the last bucket, exclusive: the requested end, rounded up to a bucket.'),
  times: t.list(t.time('Start of a bucket.'), 'All buckets of the window, oldest first.'),
  series: t.list(
    t.object({
      key: t.text('Value of `group`: a type, a provider… Empty for events without a provider or classification.'),
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
