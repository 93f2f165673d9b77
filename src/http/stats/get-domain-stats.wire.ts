/** Sections 2.4 and 4.4 of the interface: the statistics. */
import { Type } from 'typebox'
import { toIsoTime } from '../../lib/clock.ts'
import type { DomainStats } from '../../stats/get-domain-stats.ts'

const DOMAIN_STATS = 'DomainStatistics'
export const TENANT_STATS = 'TenantStatistics'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const DomainStatsSchema = Type.Object(
  {
    counts: Type.Object({
      bounce: count(
        'Events of type `Bounce`. An `OOBBounce` is not counted: its message was counted as delivered before.',
      ),
      delivery: count('Events of type `Delivery`.'),
      reception: count('Events of type `Reception`.'),
    }),
    lastUpdated: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the counts last changed, in UTC; null before the first counted event.',
    }),
  },
  {
    $id: DOMAIN_STATS,
    description: 'Counts since the domain was added. They are kept when retention removes the events.',
  },
)

export const TenantStatsSchema = Type.Object(
  {
    client_id: Type.String({ description: "Tenant's client identifier." }),
    domains: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: { $ref: DOMAIN_STATS },
      description: 'By domain name. Every domain of the tenant is listed, with zeros if it has no events.',
    }),
    total_domains: Type.Integer({ minimum: 0, description: 'Number of domains.' }),
  },
  { $id: TENANT_STATS, description: 'An acknowledged event is counted in the next response.' },
)

export function toTenantStats(clientId: string, stats: readonly DomainStats[]) {
  const entries = stats.map(({ name, counts: { bounce, delivery, reception }, changedAtMs }) => {
    const lastUpdated = changedAtMs === undefined ? null : toIsoTime(changedAtMs)
    return [name, { counts: { bounce, delivery, reception }, lastUpdated }] as const
  })
  return { client_id: clientId, domains: Object.fromEntries(entries), total_domains: stats.length }
}
