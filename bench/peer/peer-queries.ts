/** The peer's SQL: each question as a keyset query that its indexes can answer. */
import type { Filters, Question } from '../questions/question.ts'
import type { Window } from '../traffic/traffic.ts'
import { EVENT_COLUMNS } from './peer-event.ts'

export interface PeerStatement {
  /** Each text is prepared once, under this name. */
  readonly name: string
  /** Planned for its values each time, or once for all values. */
  readonly isPlannedForValues: boolean
  readonly text: string
  readonly values: readonly (string | number)[]
}

/** A position in the peer's order. */
export interface PeerPosition {
  readonly timestamp: string
  readonly arrival: string
}

/** Ids of the domains in question; empty for all domains, which need no condition. */
export type DomainIds = readonly number[]

const TEXT_COLUMNS = { recipient: 'recipient', sender: 'sender', from: 'header_from', subject: 'subject' } as const
const TEXT_NAMES = Object.keys(TEXT_COLUMNS) as (keyof typeof TEXT_COLUMNS)[]
const SELECT_EVENT = `SELECT ${EVENT_COLUMNS}, domain_id, arrival FROM event`
const NEWEST_FIRST = 'ORDER BY timestamp DESC, arrival DESC'

export function toStatement(question: Question, domainIds: DomainIds, after?: PeerPosition): PeerStatement {
  switch (question.kind) {
    case 'page':
      return pageStatement(domainIds, question.filters, question.limit, after)
    case 'message':
      return messageStatement(domainIds, question.messageId)
    case 'series':
      return seriesStatement(domainIds, question.window)
    case 'stats':
      return STATS_STATEMENT
  }
}

/** Reads one row more than the page has, to know whether there is a next one. */
export function pageStatement(
  domainIds: DomainIds,
  filters: Filters,
  limit: number,
  after?: PeerPosition,
): PeerStatement {
  const { values, conditions, value } = startConditions(domainIds)
  conditions.push(`timestamp >= ${value(filters.startTimestamp)}`, `timestamp <= ${value(filters.endTimestamp)}`)
  const { types = [], responseCode, codeClass, provider, classification, anyText } = filters
  if (types.length === 1) conditions.push(`type = ${value(types[0] ?? '')}`)
  if (types.length > 1) conditions.push(`type = ANY(${value(`{${types.join(',')}}`)})`)
  if (responseCode !== undefined) {
    // Repeated so that a plan for all values may use the index, which leaves 250 out.
    conditions.push(`response_code = ${value(responseCode)}`, 'response_code <> 250')
  }
  if (codeClass !== undefined) {
    // The index over all domains is by class, those of single domains by code.
    const [first, last] = [codeClass * 100, codeClass * 100 + 99]
    if (domainIds.length === 0) conditions.push(`response_code / 100 = ${value(codeClass)}`)
    else conditions.push(`response_code BETWEEN ${value(first)} AND ${value(last)}`)
    conditions.push('response_code <> 250')
  }
  if (provider !== undefined) conditions.push(`provider_name = ${value(provider)}`)
  if (classification !== undefined) conditions.push(`bounce_classification = ${value(classification)}`)
  const contains = (column: string, text: string) => `${column} ILIKE ${value(`%${escapeLike(text)}%`)}`
  for (const name of TEXT_NAMES) {
    const text = filters[name]
    if (text !== undefined) conditions.push(contains(TEXT_COLUMNS[name], text))
  }
  if (anyText !== undefined) {
    conditions.push(`(${TEXT_NAMES.map((name) => contains(TEXT_COLUMNS[name], anyText)).join(' OR ')})`)
  }
  if (after) conditions.push(`(timestamp, arrival) < (${value(after.timestamp)}, ${value(after.arrival)})`)
  const text = `${SELECT_EVENT} WHERE ${conditions.join(' AND ')} ${NEWEST_FIRST} LIMIT ${limit + 1}`
  // If the best index depends on how common a value is, the planner has to see the value. Otherwise one plan fits all values.
  const isPlannedForValues = / ILIKE | = ANY/.test(text)
  return { name: nameOf(text), text, values, isPlannedForValues }
}

function messageStatement(domainIds: DomainIds, messageId: string): PeerStatement {
  const { values, conditions, value } = startConditions(domainIds)
  const text = `${SELECT_EVENT} WHERE ${[`id = ${value(messageId)}`, ...conditions].join(' AND ')} ${NEWEST_FIRST}`
  return { name: nameOf(text), text, values, isPlannedForValues: false }
}

/** Counts by type and by hour since the start of the window. */
function seriesStatement(domainIds: DomainIds, { startTimestamp, endTimestamp }: Window): PeerStatement {
  const { values, conditions, value } = startConditions(domainIds)
  const start = value(startTimestamp)
  conditions.push(`hour >= ${start}`, `hour <= ${value(endTimestamp)}`)
  const text = `SELECT type, (hour - ${start}) / 3600, sum(events) FROM event_per_hour
    WHERE ${conditions.join(' AND ')} GROUP BY 1, 2`
  return { name: nameOf(text), text, values, isPlannedForValues: true }
}

const STATS_STATEMENT: PeerStatement = {
  name: 'stats',
  text: 'SELECT domain_name, bounce, delivery, reception, changed_at FROM domain_count WHERE tenant_id = $1',
  values: [1],
  isPlannedForValues: false,
}

/** Counts every domain, including those without events. */
export const FILL_COUNTS = `
  INSERT INTO domain_count (domain_id, tenant_id, domain_name, bounce, delivery, reception, changed_at)
  SELECT d.id, 1, d.name,
    count(*) FILTER (WHERE e.type = 'Bounce'),
    count(*) FILTER (WHERE e.type = 'Delivery'),
    count(*) FILTER (WHERE e.type = 'Reception'),
    now()
  FROM unnest($1::integer[], $2::text[]) AS d (id, name) LEFT JOIN event e ON e.domain_id = d.id
  GROUP BY d.id, d.name`

function startConditions(domainIds: DomainIds): {
  readonly values: (string | number)[]
  readonly conditions: string[]
  readonly value: (item: string | number) => string
} {
  const values: (string | number)[] = []
  const value = (item: string | number) => `$${values.push(item)}`
  const conditions: string[] = []
  const [only, ...others] = domainIds
  if (others.length > 0) conditions.push(`domain_id = ANY(${value(`{${domainIds.join(',')}}`)})`)
  else if (only !== undefined) conditions.push(`domain_id = ${value(only)}`)
  return { values, conditions, value }
}

/** `%`, `_` and the escape character have no meaning in a filter of the interface. */
function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? `statement${names.size}`
  names.set(text, name)
  return name
}
