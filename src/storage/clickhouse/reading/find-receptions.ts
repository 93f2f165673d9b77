/**
 * The first receptions of sampled deliveries. The time before the deliveries is searched in steps that do not overlap, the last hour
 * first: most messages are minutes old, few are days old. A message may be received again, so all steps are needed to find the first reception.
 */

import { LONGEST_SECONDS, type SampledDelivery } from '../../../events/delivery-times/sample-delivery-times.ts'
import { EVENT_TYPES } from '../../../events/event.ts'
import { Deadline } from '../../../lib/turns/deadline.ts'
import { literal } from '../literals.ts'
import { RowWriter } from '../rows/row-writer.ts'
import { BudgetError, type ClickHouse, type ReadSource, type SentTable } from '../server/clickhouse.ts'
import { domainCondition } from './conditions.ts'

/**
 * Parts of a sample that are searched together, as each search reads a week of their domains. The statement names the domains, and is in
 * the address of the request: ClickHouse 18.16 and many proxies accept only a few kilobytes.
 */
export const SEARCHED_PARTS = 8
/** Seconds before a delivery. */
const STEPS = [
  { from: 3600, to: 0 },
  { from: 86_400, to: 3601 },
  { from: LONGEST_SECONDS, to: 86_401 },
]

/** Gaps up to this length are read as well: that costs less than another range. */
const GAP_SECONDS = 1800
/** Of one statement. With more gaps the domains have few events, and one range is cheap enough. */
const RANGES_MAX = 12

/** A delivery, and between which seconds its reception is looked for. */
interface Wanted {
  /** Its place in the list: rows of the answer name it, so no text of a sender has to be compared here. */
  readonly index: number
  readonly delivery: SampledDelivery
  readonly first: number
  readonly last: number
}

export interface FindReceptionsDeps {
  readonly clickHouse: ClickHouse
  /** What is stored before that second is left out. */
  readonly retainedFrom: number
}

export async function findReceptions(
  { clickHouse, retainedFrom }: FindReceptionsDeps,
  deliveries: readonly SampledDelivery[],
  budgetMs: number,
): Promise<readonly (number | undefined)[]> {
  const deadline = new Deadline(budgetMs)
  const found = new Map<number, number>()
  for (const step of STEPS) {
    const wanted = listWanted(deliveries, step, retainedFrom)
    const leftMs = Math.ceil(deadline.leftMs)
    if (wanted.length === 0 || leftMs <= 0) break
    try {
      // What a later step finds is earlier.
      for (const [index, timestamp] of await findWithin(clickHouse, wanted, leftMs)) found.set(index, timestamp)
    } catch (error) {
      // What was found so far is the answer.
      if (error instanceof BudgetError) break
      throw error
    }
  }
  return deliveries.map((_, index) => found.get(index))
}

function listWanted(
  deliveries: readonly SampledDelivery[],
  { from, to }: (typeof STEPS)[number],
  retainedFrom: number,
): readonly Wanted[] {
  return deliveries.flatMap((delivery, index) => {
    const [first, last] = [Math.max(retainedFrom, delivery.timestamp - from), delivery.timestamp - to]
    return first <= last ? [{ index, delivery, first, last }] : []
  })
}

/** The earliest of each, by its index. */
async function findWithin(
  clickHouse: ClickHouse,
  wanted: readonly Wanted[],
  budgetMs: number,
): Promise<readonly (readonly [number, number])[]> {
  const domains = [...new Set(wanted.map(({ delivery }) => delivery.domain.number))]
  const within = listRanges(wanted).map(
    ([first, last]) => `(timestamp >= ${literal(first)} AND timestamp <= ${literal(last)})`,
  )
  // A mailing may have one id for very many recipients: only the receptions of those that are asked for leave their shard.
  const toSql = ({ from, isThere }: ReadSource) => `SELECT delivery, min(timestamp) FROM (
      SELECT domain, id, recipient, timestamp FROM ${from('event')}
      PREWHERE ${domainCondition(domains)} AND (${within.join(' OR ')})
        AND type = ${literal(EVENT_TYPES.indexOf('Reception'))} AND id IN (SELECT id FROM asked)
      WHERE (domain, id, recipient) IN (SELECT domain, id, recipient FROM asked) AND ${isThere}
    ) AS reception ALL INNER JOIN (SELECT domain, id, recipient, delivery, earliest, latest FROM asked) AS wanted USING (domain, id, recipient)
    WHERE timestamp >= earliest AND timestamp <= latest GROUP BY delivery`
  const rows = await clickHouse.selectOf(domains, toSql, { budgetMs, sent: toTable(wanted) })
  return rows.map(([index, timestamp]) => [Number(index), Number(timestamp)])
}

/** All seconds that are looked through, and few others. */
function listRanges(wanted: readonly Wanted[]): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = []
  for (const { first, last } of wanted.toSorted((a, b) => a.first - b.first)) {
    const previous = ranges.at(-1)
    if (previous && first <= previous[1] + GAP_SECONDS) previous[1] = Math.max(previous[1], last)
    else ranges.push([first, last])
  }
  const [oldest, newest] = [ranges[0], ranges.at(-1)]
  return ranges.length > RANGES_MAX && oldest && newest ? [[oldest[0], newest[1]]] : ranges
}

function toTable(wanted: readonly Wanted[]): SentTable {
  const writer = new RowWriter()
  for (const { index, delivery, first, last } of wanted) {
    writer.uint32(index)
    writer.uint32(delivery.domain.number)
    writer.text(delivery.id)
    writer.text(delivery.recipient)
    writer.uint32(first)
    writer.uint32(last)
  }
  const columns = 'delivery UInt32, domain UInt32, id String, recipient String, earliest UInt32, latest UInt32'
  return { name: 'asked', columns, body: writer.finish() }
}
