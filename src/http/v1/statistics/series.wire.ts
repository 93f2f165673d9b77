/** GET /v1/stats/series: counts over time, read from the hourly counters. */
import { type Static, Type } from 'typebox'
import { SERIES_BUCKETS, SERIES_GROUPS } from '../../../stats/series.ts'
import { EventFilterParameters, WindowParameters } from '../log/event-filters.wire.ts'
import { count, named, time } from '../schema.wire.ts'

export const SERIES_LIMIT_DEFAULT = 100
export const SERIES_LIMIT_MAX = 1000

const { domain, type, provider, classification } = EventFilterParameters.properties

export const SeriesQuery = Type.Object({
  bucket: Type.Optional(
    Type.Enum([...SERIES_BUCKETS], {
      type: 'string',
      default: 'hour',
      description: 'Period of each count: an hour, or a day in UTC.',
    }),
  ),
  group: Type.Optional(
    Type.Enum([...SERIES_GROUPS], {
      type: 'string',
      default: 'type',
      description: 'One series for each event type, receiving provider, bounce classification or sender domain.',
    }),
  ),
  ...WindowParameters.properties,
  domain,
  type,
  provider,
  classification,
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      default: SERIES_LIMIT_DEFAULT,
      'x-counts-at-most': SERIES_LIMIT_MAX,
      description: 'Maximum number of series, the largest first; the others are summed in `rest`.',
    }),
  ),
})

const counts = (description: string) => Type.Array(Type.Integer({ minimum: 0 }), { description })

export const SeriesSchema = named(
  'Series',
  Type.Object(
    {
      bucket: Type.Enum([...SERIES_BUCKETS], { type: 'string' }),
      group: Type.Enum([...SERIES_GROUPS], { type: 'string' }),
      from: time('Start of the first bucket: the requested start, rounded down to a bucket.'),
      to: time('End of the last bucket, exclusive: the requested end, rounded up to a bucket.'),
      times: Type.Array(time('Start of a bucket.'), { description: 'All buckets of the window, oldest first.' }),
      series: Type.Array(
        Type.Object({
          key: Type.String({
            description: 'Value of `group`: a type, a provider… Empty for events without a provider or classification.',
          }),
          total: count('Sum of the counts.'),
          counts: counts('One for each of `times`.'),
        }),
        { description: 'Largest total first. Series without events are omitted.' },
      ),
      rest: Type.Object(
        {
          keys: count('Number of omitted series.'),
          total: count('Sum of the counts.'),
          counts: counts('One for each of `times`.'),
        },
        { description: 'Sum of the series beyond `limit`.' },
      ),
    },
    { description: 'Counts over time.' },
  ),
)
export type Series = Static<typeof SeriesSchema>
