/** Quotas of events over a storage: the counts begin with what the storage has of the day. */
import { EventQuotas } from './events/ingest/event-quotas.ts'
import type { Clock } from './lib/clock.ts'
import type { Storage } from './storage/storage.ts'

/** With several servers. A count is one read of the counts by hour. */
const RECOUNT_MS = 10_000

export function openEventQuotas(
  { control, log, shared }: Pick<Storage, 'control' | 'log' | 'shared'>,
  clock: Clock,
): EventQuotas {
  return new EventQuotas({
    ...(shared && { recountMs: RECOUNT_MS }),
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
