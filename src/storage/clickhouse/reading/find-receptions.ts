/** The receptions of sampled deliveries, in one statement for each length of time: most are minutes old, few are days old. */

import { LONGEST_SECONDS, type SampledDelivery } from '../../../events/delivery-times/sample-delivery-times.ts'
import { EVENT_TYPES } from '../../../events/event.ts'
import { literal, literalList } from '../literals.ts'
import { BudgetError, type ClickHouse, type ReadSource } from '../server/clickhouse.ts'
import { domainCondition } from './conditions.ts'

const LOOK_BACK_SECONDS = [3600, 86_400, LONGEST_SECONDS]

export async function findReceptions(
  clickHouse: ClickHouse,
  deliveries: readonly SampledDelivery[],
  budgetMs: number,
): Promise<readonly (number | undefined)[]> {
  const deadline = performance.now() + budgetMs
  const found = new Map<string, number>()
  for (const seconds of LOOK_BACK_SECONDS) {
    const missing = deliveries.filter((delivery) => !found.has(keyOf(delivery)))
    const leftMs = Math.ceil(deadline - performance.now())
    if (missing.length === 0 || leftMs <= 0) break
    const times = missing.map(({ timestamp }) => timestamp)
    const domains = [...new Set(missing.map(({ domain }) => domain.number))]
    const toSql = ({ from, isThere }: ReadSource) => `SELECT domain, id, recipient, min(timestamp) FROM ${from('event')}
      WHERE ${domainCondition(domains)} AND ${isThere}
        AND timestamp >= ${literal(Math.max(0, Math.min(...times) - seconds))} AND timestamp <= ${literal(Math.max(...times))}
        AND type = ${literal(EVENT_TYPES.indexOf('Reception'))} AND id IN ${literalList([...new Set(missing.map(({ id }) => id))])}
      GROUP BY domain, id, recipient LIMIT ${literal(ROWS_MAX)}`
    try {
      const rows = await clickHouse.selectOf(domains, toSql, { budgetMs: leftMs })
      for (const [number, id = '', recipient = '', timestamp] of rows) {
        found.set(`${number} ${id} ${recipient}`, Number(timestamp))
      }
    } catch (error) {
      // What was found so far is the answer.
      if (error instanceof BudgetError) break
      throw error
    }
  }
  return deliveries.map((delivery) => {
    const received = found.get(keyOf(delivery))
    return received !== undefined && received <= delivery.timestamp ? received : undefined
  })
}

/** A mailing may have one id for very many recipients. */
const ROWS_MAX = 20_000

function keyOf({ domain, id, recipient }: SampledDelivery): string {
  return `${domain.number} ${id} ${recipient}`
}
