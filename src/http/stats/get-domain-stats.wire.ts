/** Sections 2.4 and 4.4 of the interface: the statistics. */
import * as t from '../../lib/json-schema.ts'

const DomainStatsSchema = t.named(
  'DomainStatistics',
  'Counts since the domain was added. They are kept when retention removes the events.',
  {
    counts: t.object({
      bounce: t.count(
        'Events of type `Bounce`. An `OOBBounce` is not counted: its message was counted as delivered before.',
      ),
      delivery: t.count('Events of type `Delivery`.'),
      reception: t.count('Events of type `Reception`.'),
    }),
    lastUpdated: t.timeOrNull('When the counts last changed, in UTC; null before the first counted event.'),
  },
)

export const TenantStatsSchema = t.named('TenantStatistics', 'An acknowledged event is counted in the next response.', {
  client_id: t.text("Tenant's client identifier."),
  domains: t.raw<Readonly<Record<string, t.Static<typeof DomainStatsSchema>>>>(
    { type: 'object', additionalProperties: t.ref(DomainStatsSchema) },
    'By domain name. Every domain of the tenant is listed, with zeros if it has no events.',
  ),
  total_domains: t.count('Number of domains.'),
})
