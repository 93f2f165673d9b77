/** The time of the newest event: found by the counts, which are few, and then among the events of that hour. */
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse } from '../server/clickhouse.ts'

const SECONDS_PER_HOUR = 3600
const OF_DOMAINS = `domain < ${FIRST_RESERVED_DOMAIN}`

/** `retainedFrom`: seconds; what is stored before it does not count. */
export async function findNewestTimestamp(clickHouse: ClickHouse, retainedFrom: number): Promise<number | undefined> {
  const [[hour, counts] = []] = await clickHouse.select(
    `SELECT max(hour), count() FROM ${clickHouse.readFrom('event_hour')}
     WHERE hour >= ${Math.floor(retainedFrom / SECONDS_PER_HOUR)} AND ${OF_DOMAINS}`,
  )
  if (Number(counts ?? 0) === 0) return undefined
  // The events of an hour may have been erased, and still count.
  return (await newestFrom(clickHouse, Number(hour) * SECONDS_PER_HOUR)) ?? (await newestFrom(clickHouse, retainedFrom))
}

async function newestFrom(clickHouse: ClickHouse, from: number): Promise<number | undefined> {
  const [[timestamp, events] = []] = await clickHouse.select(
    `SELECT max(timestamp), count() FROM ${clickHouse.readFrom('event')} WHERE timestamp >= ${from} AND ${OF_DOMAINS}`,
  )
  return Number(events ?? 0) === 0 ? undefined : Number(timestamp)
}
