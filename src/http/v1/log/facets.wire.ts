/** GET /v1/events/facets: how many events match a search, by the values of their fields. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTED_FIELDS } from '../../../events/log/match-counts.ts'
import * as t from '../../../lib/json-schema.ts'
import { EventFilterParameters, WindowParameters } from './event-filters.wire.ts'
import { AnyEventsQuery } from './events.wire.ts'

export const FacetsQuery = t.object({
  ...EventFilterParameters.properties,
  ...WindowParameters.properties,
  limit: t.pageSize(10, 100, 'Maximum number of values of each facet, the most frequent first.'),
})

const { tenant, domain } = AnyEventsQuery.properties

/** For the operator. */
export const AnyFacetsQuery = t.object({ ...FacetsQuery.properties, tenant, domain })

export const FacetsSchema = t.named('Facets', 'The number of events that match a search.', {
  total: t.count('Events counted.'),
  isExact: t.flag('Whether `total` is the number of all matching events. Otherwise see `countedFrom`.'),
  countedFrom: t.time(
    'Start of what was counted. Later than the start of the window if the budget ran out: older events are missing. Earlier if the counts by ' +
      'hour answered, which are rounded to whole hours.',
  ),
  countedTo: t.time('End of what was counted, exclusive.'),
  facets: t.list(
    t.object({
      name: t.oneOf(COUNTED_FIELDS, 'The parameter that filters by its values.'),
      isExact: t.flag('Whether `values` are all values, with the number of all matching events.'),
      isNewestOnly: t.flag(
        'Whether only the newest events were counted for this facet, possibly fewer than those since `countedFrom`: its counts are lower ' +
          'bounds.',
      ),
      values: t.list(t.object({ value: t.text(), count: t.count() }), 'Most frequent first.'),
      more: t.count('Number of further values.'),
    }),
    'Events without a value are in no facet, so the counts of one may be fewer than `total`.',
  ),
  bucketSeconds: t.count('Length of the intervals of `buckets`.'),
  buckets: t.list(
    t.object({ from: t.time('Start of the interval.'), type: t.oneOf(EVENT_TYPES), count: t.count() }),
    'Counts over time, newest first. Intervals without events are omitted.',
  ),
})
export type Facets = t.Static<typeof FacetsSchema>
