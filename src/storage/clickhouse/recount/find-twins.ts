/** Equal events that are stored twice: nothing does that, except for a backup that was restored over what was there. */
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { firstHourOf, HOURS_PER_DAY } from '../upkeep/day.ts'
import { readGroups } from './read-groups.ts'

const TWINS_MAX = 100

/** Findings in words, at most a hundred. Hour by hour: ClickHouse keeps the keys of what it compares in memory, or on disk beyond `groupBytes`. */
export async function findTwins(clickHouse: ClickHouse, day: string, groupBytes?: number): Promise<readonly string[]> {
  const found: string[] = []
  const first = firstHourOf(day)
  for (let hour = first; hour < first + HOURS_PER_DAY && found.length < TWINS_MAX; hour++) {
    const rows = await readGroups(
      clickHouse,
      `SELECT domain, count() AS times, any(id) FROM ${clickHouse.readFrom('event')}
       WHERE timestamp >= ${hour * 3600} AND timestamp < ${(hour + 1) * 3600} AND domain < ${FIRST_RESERVED_DOMAIN}
       GROUP BY domain, timestamp, key HAVING times > 1 ORDER BY domain LIMIT ${TWINS_MAX}`,
      groupBytes,
    )
    for (const [domain, times, id = ''] of rows) {
      found.push(`${day}: domain ${domain}, an event of message ${JSON.stringify(id)} is stored ${times} times`)
    }
  }
  return found.slice(0, TWINS_MAX)
}
