/** Counts by hour, from the tables of counts; no event is read. */
import { EVENT_TYPES, OTHER_ORIGINS } from '../../../events/event.ts'
import {
  type CountGroup,
  concernsSending,
  type HourCount,
  KIND_SEPARATOR,
  SENDING_GROUPS,
  type SendingGroup,
  type SeriesQuery,
} from '../../../stats/series.ts'
import { literal, literalList, numberSet } from '../literals.ts'
import { originConditions, originPart } from '../reading/conditions.ts'
import { typeNumber } from '../rows/event-row.ts'
import type { ClickHouse, ReadSource } from '../server/clickhouse.ts'

const HOURS_PER_DAY = 24
/** Counts of one statement. Providers and classes are what senders write: there may be very many of them in an hour. */
const COUNTS_AT_ONCE = 50_000

type PlainGroup = Exclude<CountGroup, `sending_${string}`>

/** Between the parts of a kind. */
const SEPARATOR = literal(KIND_SEPARATOR)

const COLUMN_OF_GROUP: Readonly<Record<PlainGroup, string>> = {
  type: 'toString(type)',
  provider: 'provider',
  classification: 'classification',
  domain: 'toString(domain)',
  kind: `concat(toString(type), ${SEPARATOR}, toString(provider), ${SEPARATOR}, toString(classification))`,
}

export async function* listHourCounts(
  clickHouse: ClickHouse,
  query: SeriesQuery,
): AsyncGenerator<readonly HourCount[]> {
  const { domainNumbers, fromHour, toHour, group } = query
  if (domainNumbers.length === 0 || fromHour >= toHour) return
  const isOfSending = concernsSending(query)
  const where = [
    `domain IN ${numberSet('UInt32', domainNumbers)}`,
    `hour >= ${literal(Math.max(0, fromHour))} AND hour < ${literal(toHour)}`,
    ...filterConditions(query, isOfSending),
  ].join(' AND ')
  const hour = query.byDay ? `intDiv(hour, ${HOURS_PER_DAY}) * ${HOURS_PER_DAY}` : 'hour'
  const table = isOfSending ? 'sending_hour' : 'event_hour'
  const toGrouped = ({
    from,
    isThere,
  }: ReadSource) => `SELECT ${hour} AS counted_hour, ${keyOf(group, isOfSending)} AS counted_key, sum(n) AS counted
    FROM ${from(table)} WHERE ${where} AND ${isThere} GROUP BY counted_hour, counted_key HAVING counted != 0`
  for (let after = ''; ; ) {
    const rest = after
    const rows = await clickHouse.selectOf(
      domainNumbers,
      (source) => `SELECT counted_hour, counted_key, counted FROM (${toGrouped(source)}) ${rest}
      ORDER BY counted_hour, counted_key LIMIT ${literal(COUNTS_AT_ONCE)}`,
    )
    yield rows.map(([at = '', key = '', count]) => ({
      hour: Number(at),
      key: group === 'type' ? (EVENT_TYPES[Number(key)] ?? '') : key,
      count: Number(count),
    }))
    const last = rows.at(-1)
    if (!last || rows.length < COUNTS_AT_ONCE) return
    after = `WHERE (counted_hour, counted_key) > (${literal(Number(last[0]))}, ${literal(last[1] ?? '')})`
  }
}

/** Counts by origin have no classification. */
function keyOf(group: CountGroup, isOfSending: boolean): string {
  if (group === 'sending_kind')
    return `concat(toString(type), ${SEPARATOR}, ${partOf('sending_address')}, ${SEPARATOR})`
  if (isSendingGroup(group)) return partOf(group)
  return isOfSending && (group === 'classification' || group === 'kind') ? `''` : COLUMN_OF_GROUP[group]
}

function partOf(group: SendingGroup): string {
  return `if(origin = '', ${literal(OTHER_ORIGINS)}, ${originPart(SENDING_GROUPS.indexOf(group))})`
}

function isSendingGroup(group: CountGroup): group is SendingGroup {
  return (SENDING_GROUPS as readonly string[]).includes(group)
}

function filterConditions({ filters }: SeriesQuery, isOfSending: boolean): readonly string[] {
  const { types, providers, classifications } = filters
  return [
    ...(types ? [`type IN ${literalList(types.map(typeNumber))}`] : []),
    ...(providers ? [`provider IN ${literalList(providers)}`] : []),
    ...(classifications && !isOfSending ? [`classification IN ${literalList(classifications)}`] : []),
    ...originConditions(filters),
  ]
}
