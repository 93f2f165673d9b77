/** Quotas of events over a storage: the counts begin with what the storage has of the day. */
import { EventQuotas } from './events/ingest/event-quotas.ts'
import type { Clock } from './lib/clock.ts'
import type { Storage } from './storage/storage.ts'

export function openEventQuotas({ control, log }: Pick<Storage, 'control' | 'log'>, clock: Clock): EventQuotas {
  return new EventQuotas({
    keys: control.keys,
    domains: control.domains,
    clock,
    async countEvents(domainNumbers, fromHour, toHour) {
      if (domainNumbers.length === 0) return 0
      let total = 0
      for await (const part of log.series({ domainNumbers, fromHour, toHour, filters: {}, group: 'type' })) {
        for (const { count } of part) total += count
      }
      return total
    },
  })
}
