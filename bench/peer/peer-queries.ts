/** The peer's SQL: each question of the interface as a keyset query that its indexes can answer. */
import type { EventFilters } from '../../src/events/event-query.ts'
import { PAGE_EVENTS } from '../question.ts'
import { EVENT_COLUMNS } from './peer-event.ts'

export interface PeerStatement {
  /** Each text is prepared once, under this name. */
  readonly name: string
  /** Whether it is planned anew for its values, or once for all. */
  readonly isPlannedForValues: boolean
  readonly text: string
  readonly values: readonly (string | number)[]
}

/** A place in the peer's order. */
export interface PeerPosition {
  readonly timestamp: string
  readonly arrival: string
}

const TEXT_COLUMNS = { recipient: 'recipient', sender: 'sender', from: 'header_from', subject: 'subject' } as const
const TEXT_NAMES = Object.keys(TEXT_COLUMNS) as (keyof typeof TEXT_COLUMNS)[]

/** One row more than the page, which tells whether there is a next one. */
export function pageStatement(domainId: number, filters: EventFilters, after?: PeerPosition): PeerStatement {
  const values: (string | number)[] = []
  const value = (item: string | number) => `$${values.push(item)}`
  const conditions = [
    `domain_id = ${value(domainId)}`,
    `timestamp >= ${value(filters.startTimestamp)}`,
    `timestamp <= ${value(filters.endTimestamp)}`,
  ]
  const [type] = filters.types ?? []
  if (type !== undefined) conditions.push(`type = ${value(type)}`)
  if (filters.responseCode !== undefined) {
    // Said twice so that a plan for all values may use the index, which leaves 250 out.
    conditions.push(`response_code = ${value(filters.responseCode)}`, 'response_code <> 250')
  }
  const texts = TEXT_NAMES.filter((name) => filters[name] !== undefined)
  for (const name of texts) conditions.push(`${TEXT_COLUMNS[name]} ILIKE ${value(`%${escapeLike(filters[name])}%`)}`)
  if (after) conditions.push(`(timestamp, arrival) < (${value(after.timestamp)}, ${value(after.arrival)})`)
  const text = `SELECT ${EVENT_COLUMNS}, arrival FROM event WHERE ${conditions.join(' AND ')}
    ORDER BY timestamp DESC, arrival DESC LIMIT ${PAGE_EVENTS + 1}`
  // How rare a needle is decides which index is the right one, so a plan has to know it. Other plans fit all values.
  return { name: nameOf(text), text, values, isPlannedForValues: texts.length > 0 }
}

export function messageStatement(domainId: number, messageId: string): PeerStatement {
  return {
    name: 'message',
    text: `SELECT ${EVENT_COLUMNS}, arrival FROM event WHERE id = $1 AND domain_id = $2
      ORDER BY timestamp DESC, arrival DESC`,
    values: [messageId, domainId],
    isPlannedForValues: false,
  }
}

export const STATS_STATEMENT: PeerStatement = {
  name: 'stats',
  text: 'SELECT domain_name, bounce, delivery, reception, changed_at FROM domain_count WHERE tenant_id = $1',
  values: [1],
  isPlannedForValues: false,
}

/** Counts every domain, those without events too. */
export const FILL_COUNTS = `
  INSERT INTO domain_count (domain_id, tenant_id, domain_name, bounce, delivery, reception, changed_at)
  SELECT d.id, 1, d.name,
    count(*) FILTER (WHERE e.type = 'Bounce'),
    count(*) FILTER (WHERE e.type = 'Delivery'),
    count(*) FILTER (WHERE e.type = 'Reception'),
    now()
  FROM unnest($1::integer[], $2::text[]) AS d (id, name) LEFT JOIN event e ON e.domain_id = d.id
  GROUP BY d.id, d.name`

/** `%`, `_` and the escape itself have no meaning in a filter of the interface. */
function escapeLike(text = ''): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  const name = names.get(text) ?? `page${names.size}`
  names.set(text, name)
  return name
}
