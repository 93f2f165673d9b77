/**
 * Counts the events that match, by the values of their fields and over time. The server adds up; a window that takes too long is
 * replaced by its newest part. It cannot mask replies: those are counted in the newest events, one by one.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import { countListed, type ListPage } from '../../../events/log/count-listed.ts'
import type { LogWindow } from '../../../events/log/log-query.ts'
import {
  byCount,
  COUNTED_VALUES_MAX,
  type CountedField,
  type CountQuery,
  type FieldCounts,
  type MatchCounts,
} from '../../../events/log/match-counts.ts'
import { concernsReplies } from '../../../events/replies/reply-filter.ts'
import { Deadline } from '../../../lib/turns/deadline.ts'
import { literal } from '../literals.ts'
import { domainCondition, originPart, toConditions } from '../reading/conditions.ts'
import { NO_CODE } from '../rows/event-row.ts'
import { BudgetError, type ClickHouse, type ReadSource } from '../server/clickhouse.ts'

type ServerField = Exclude<CountedField, 'reply'>

/** A text for each event; empty if it has no value. */
const VALUE_OF: Readonly<Record<ServerField, string>> = {
  type: 'toString(type)',
  domain: 'toString(domain)',
  provider: 'provider',
  classification: 'classification',
  code: `if(response_code = ${NO_CODE}, '', toString(response_code))`,
  sending_address: originPart(0),
  sending_source: originPart(1),
  sending_pool: originPart(2),
}

const SHRINKING = 8
/** All that the column can hold. */
const LAST_SECOND = 2 ** 32 - 1
const ATTEMPT_MIN_MS = 100
const FIRST_MARK = 'a'.charCodeAt(0)

export interface CountMatchesDeps {
  readonly clickHouse: ClickHouse
  readonly list: ListPage
  /** What is stored before that second is left out. */
  readonly retainedFrom: number
}

export async function countMatches(deps: CountMatchesDeps, query: CountQuery): Promise<MatchCounts> {
  const { fields, filters } = query
  if (concernsReplies(filters)) return countListed(deps.list, query)
  const deadline = new Deadline(query.budgetMs)
  const counted = await countOnServer(deps, query)
  if (!fields.includes('reply')) return counted
  const replies = await countReplies(deps.list, { ...query, budgetMs: Math.max(0, deadline.leftMs) })
  const all = [...counted.fields, replies]
  return { ...counted, fields: fields.flatMap((field) => all.find((own) => own.field === field) ?? []) }
}

/** Not more than a part of the newest events, unless there are few. */
async function countReplies(list: ListPage, query: CountQuery): Promise<FieldCounts> {
  const { fields } = await countListed(list, { ...query, fields: ['reply'] })
  const [replies = toNothing('reply', false)] = fields
  return replies
}

async function countOnServer({ clickHouse, retainedFrom }: CountMatchesDeps, query: CountQuery): Promise<MatchCounts> {
  const { domains, bucketSeconds, signal } = query
  const fields = query.fields.filter((field) => field !== 'reply')
  if (domains.length === 0) return { total: 0, fields: fields.map((field) => toNothing(field, false)), buckets: [] }
  const deadline = performance.now() + query.budgetMs
  const end = Math.min(query.window.endTimestamp, LAST_SECOND)
  const first = Math.max(query.window.startTimestamp, retainedFrom)
  let window: LogWindow = { startTimestamp: first, endTimestamp: end }
  const numbers = domains.map(({ number }) => number)
  const conditions = [domainCondition(numbers), ...toConditions(query.filters)]

  const select = (columns: string, rest: string) => {
    const within = `timestamp >= ${literal(window.startTimestamp)} AND timestamp <= ${literal(window.endTimestamp)}`
    const toSql = ({ from, isThere }: ReadSource) =>
      `SELECT ${columns} FROM ${from('event')} WHERE ${[...conditions, within, isThere].join(' AND ')} ${rest}`
    return clickHouse.selectOf(numbers, toSql, {
      budgetMs: Math.max(ATTEMPT_MIN_MS, Math.ceil(deadline - performance.now())),
      signal,
    })
  }
  /** By index in `fields`, the most frequent first. One statement: each would examine all events again. */
  const countValues = async (): Promise<ReadonlyMap<number, readonly { value: string; count: number }[]>> => {
    if (fields.length === 0) return new Map()
    const marked = fields.map((field, index) => `concat(${literal(toMark(index))}, ${VALUE_OF[field]})`)
    const rows = await select(
      `arrayJoin([${marked.join(', ')}]) AS marked, substring(marked, 1, 1) AS mark, count() AS counted`,
      `GROUP BY marked HAVING length(marked) > 1 ORDER BY counted DESC, marked LIMIT ${literal(COUNTED_VALUES_MAX + 1)} BY mark`,
    )
    const values = rows.map(([marked = '', , count]) => ({ marked, value: marked.slice(1), count: Number(count) }))
    return Map.groupBy(values, ({ marked }) => fromMark(marked))
  }
  const countFields = async (): Promise<MatchCounts> => {
    const bucket = `intDiv(timestamp, ${literal(bucketSeconds)})`
    const rows = await select(`${bucket} AS bucket, type, count() AS counted`, 'GROUP BY bucket, type')
    const buckets = rows.map(([at, type, count]) => ({
      start: Number(at) * bucketSeconds,
      type: EVENT_TYPES[Number(type)] ?? 'Delivery',
      count: Number(count),
    }))
    const valuesOf = await countValues()
    const isNewestOnly = window.startTimestamp > first
    const counted = fields.map((field, index): FieldCounts => {
      const found = valuesOf.get(index) ?? []
      const values = found.slice(0, COUNTED_VALUES_MAX).map(({ value, count }) => ({
        value: field === 'type' ? (EVENT_TYPES[Number(value)] ?? '') : value,
        count,
      }))
      return { field, values: values.sort(byCount), isCut: found.length > COUNTED_VALUES_MAX, isNewestOnly }
    })
    return {
      total: buckets.reduce((sum, { count }) => sum + count, 0),
      fields: counted,
      buckets: buckets.sort((a, b) => b.start - a.start || (a.type < b.type ? -1 : 1)),
      ...(isNewestOnly && { countedTo: window.startTimestamp }),
    }
  }

  for (;;) {
    try {
      return await countFields()
    } catch (error) {
      if (!(error instanceof BudgetError)) throw error
      const seconds = Math.floor((end - window.startTimestamp + 1) / SHRINKING)
      // Nothing could be counted: the search itself says so, page by page.
      if (seconds < 1 || performance.now() > deadline) {
        return { total: 0, fields: fields.map((field) => toNothing(field, true)), buckets: [], countedTo: end + 1 }
      }
      window = { startTimestamp: end - seconds + 1, endTimestamp: end }
    }
  }
}

/** One character for each field. */
function toMark(index: number): string {
  return String.fromCharCode(FIRST_MARK + index)
}

function fromMark(marked: string): number {
  return marked.charCodeAt(0) - FIRST_MARK
}

function toNothing(field: CountedField, isNewestOnly: boolean): FieldCounts {
  return { field, values: [], isCut: false, isNewestOnly }
}
