/** The hours with deliveries, from the counts: parts of a window without any need not be searched, which takes a statement each. */
import type { DeliveryTimesQuery } from '../../../events/delivery-times/sample-delivery-times.ts'
import type { LogWindow } from '../../../events/log/log-query.ts'
import { listHourCounts } from '../counts/hour-counts.ts'
import type { ClickHouse } from '../server/clickhouse.ts'

const SECONDS_PER_HOUR = 3600

export class DeliveredHours {
  readonly #hours: ReadonlySet<number>

  private constructor(hours: ReadonlySet<number>) {
    this.#hours = hours
  }

  static async read(
    clickHouse: ClickHouse,
    { domains, window }: Pick<DeliveryTimesQuery, 'domains' | 'window'>,
  ): Promise<DeliveredHours> {
    const hours = new Set<number>()
    const counts = listHourCounts(clickHouse, {
      domainNumbers: domains.map(({ number }) => number),
      fromHour: hourOf(window.startTimestamp),
      toHour: hourOf(window.endTimestamp) + 1,
      filters: { types: ['Delivery'] },
      group: 'type',
    })
    for await (const some of counts) for (const { hour } of some) hours.add(hour)
    return new DeliveredHours(hours)
  }

  areIn({ startTimestamp, endTimestamp }: LogWindow): boolean {
    for (let hour = hourOf(startTimestamp); hour <= hourOf(endTimestamp); hour++) if (this.#hours.has(hour)) return true
    return false
  }
}

function hourOf(timestamp: number): number {
  return Math.floor(timestamp / SECONDS_PER_HOUR)
}
