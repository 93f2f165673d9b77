/** SQL that writes an event as the JSON text of the interface from its rows, so that a page is never parsed on its way out. */
import { EVENT_TYPES } from '../../../events/event.ts'

/** What an event is put together from, to be joined to `message m` and `event e`. */
export const EVENT_TABLES = `
  CROSS JOIN mailing l ON l.key = m.mailing
  CROSS JOIN circumstance c ON c.key = e.circumstance`

const TYPE_NAME = `CASE e.type ${EVENT_TYPES.map((type, number) => `WHEN ${number} THEN '${type}'`).join(' ')} END`

/**
 * Expression over `event e`, `message m` and EVENT_TABLES, with two values: the day's start in Unix seconds and the domain's name as JSON.
 * One concat() of all parts takes half the time of a chain of ||, which copies the text again for every part.
 * The brand's field name is part of the text, not a value; it comes from the configuration.
 */
export function eventText(serviceMessageIdField: string): string {
  return `concat(
    '{"id":', json_quote(m.id),
    ',"timestamp":', CAST(? AS INTEGER) + (e.position >> 32),
    ',"type":"', ${TYPE_NAME},
    '","domain_name":', ?,
    ',"recipient":', json_quote(m.recipient),
    ${optional('sender', 'm.sender')},
    ${optional('from', 'l.header_from')},
    ${optional('subject', 'm.subject')},
    ${optional('response_code', 'e.response_code')},
    ${optional('response_content', 'e.content')},
    c.members,
    ${optional(serviceMessageIdField, 'm.service_message_id')},
    ${optional('size', 'm.size')},
    l.members, '}')`
}

/** Two parts of the text; concat() takes NULL for nothing, json_quote() would make it `null`. */
function optional(field: string, column: string): string {
  const name = JSON.stringify(field).replaceAll("'", "''")
  return `iif(${column} IS NULL, NULL, ',${name}:'), iif(${column} IS NULL, NULL, json_quote(${column}))`
}
