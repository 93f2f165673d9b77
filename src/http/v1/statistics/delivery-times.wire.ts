/** GET /v1/stats/delivery-times: from reception to delivery. */
import * as t from '../../../lib/json-schema.ts'
import { EventFilterParameters, WindowParameters } from '../log/event-filters.wire.ts'
import { AnyEventsQuery } from '../log/events.wire.ts'

const { domain } = EventFilterParameters.properties
const { tenant, domain: anyDomain } = AnyEventsQuery.properties

export const DeliveryTimesQuery = t.object({ ...WindowParameters.properties, domain })
/** For the operator. */
export const AnyDeliveryTimesQuery = t.object({ ...WindowParameters.properties, tenant, domain: anyDomain })

const durations = {
  count: t.count('Sampled deliveries whose reception was found.'),
  median: t.orNull(
    'integer',
    'Seconds from reception to delivery: half of them took longer. Null for fewer than 5 deliveries.',
  ),
  percentile95: t.orNull('integer', 'Seconds: 5 % of them took longer. Null for fewer than 20 deliveries.'),
}

export const DeliveryTimesSchema = t.named('DeliveryTimes', 'How long messages took from reception to delivery.', {
  from: t.time('Start of the window.'),
  to: t.time('End of the window, exclusive.'),
  times: t.list(t.time('Start of a part.'), 'The parts of the window, equally long, oldest first.'),
  ...durations,
  providers: t.list(
    t.object({
      provider: t.text('The receiving provider; empty for events without one.'),
      ...durations,
      parts: t.list(t.object(durations), 'One for each of `times`.'),
    }),
    'Up to 50, those with the most sampled deliveries first.',
  ),
  sampled: t.count('Deliveries that were sampled: up to 40 of each part of the window, the newest ones.'),
  isComplete: t.flag('False if there was no time to sample all parts of the window.'),
})
export type DeliveryTimes = t.Static<typeof DeliveryTimesSchema>
