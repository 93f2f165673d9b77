/** Equal events that are stored twice: nothing does that, except for a backup that was restored over what was there. */
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { firstHourOf, HOURS_PER_DAY } from '../upkeep/day.ts'
import { readGroups } from './read-groups.ts'

const TWINS_MAX = 100
/** ClickHouse keeps the keys of what it compares in memory: about 200 bytes for each, of the 4 GB that a query may use. */
const COMPARED_MAX = 8_000_000

/** Findings in words, at most a hundred. Hour by hour, and a busy hour in several parts of at most about `comparedMax` events. */
export async function findTwins(
  clickHouse: ClickHouse,
  day: string,
  comparedMax = COMPARED_MAX,
): Promise<readonly string[]> {
  const found: string[] = []
  const first = firstHourOf(day)
  const between = (from: number, to: number) => `FROM ${clickHouse.readFrom('event')}
    WHERE timestamp >= ${from * 3600} AND timestamp < ${to * 3600} AND domain < ${FIRST_RESERVED_DOMAIN}`
  const hours = await readGroups(
    clickHouse,
    `SELECT intDiv(timestamp, 3600) AS hour, count() ${between(first, first + HOURS_PER_DAY)} GROUP BY hour ORDER BY hour`,
  )
  for (const [hour, events] of hours) {
    const ofHour = between(Number(hour), Number(hour) + 1)
    const parts = Math.ceil(Number(events) / comparedMax)
    for (let part = 0; part < parts; part++) {
      const rows = await readGroups(
        clickHouse,
        `SELECT domain, count() AS times, any(id) ${ofHour} AND key % ${parts} = ${part}
         GROUP BY domain, timestamp, key HAVING times > 1 ORDER BY domain LIMIT ${TWINS_MAX}`,
      )
      for (const [domain, times, id = ''] of rows) {
        found.push(`${day}: domain ${domain}, an event of message ${JSON.stringify(id)} is stored ${times} times`)
      }
      if (found.length >= TWINS_MAX) return found.slice(0, TWINS_MAX)
    }
  }
  return found
}
