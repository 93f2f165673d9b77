/** SQL that writes an event as the JSON text of the interface from its rows, so that a page is never parsed on its way out. */
import { EVENT_TYPES } from '../../../events/event.ts'

const TYPE_NAME = `CASE e.type ${EVENT_TYPES.map((type, number) => `WHEN ${number} THEN '${type}'`).join(' ')} END`

/**
 * Expression over `event e` and `message m` with two values: the day's start in Unix seconds and the domain's name as JSON.
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
    ${optional('from', 'm.header_from')},
    ${optional('subject', 'm.subject')},
    ${optional('response_code', 'e.response_code')},
    e.own,
    ${optional(serviceMessageIdField, 'm.service_message_id')},
    m.rest, '}')`
}

/** Two parts of the text; concat() takes NULL for nothing, json_quote() would make it `null`. */
function optional(field: string, column: string): string {
  const name = JSON.stringify(field).replaceAll("'", "''")
  return `iif(${column} IS NULL, NULL, ',${name}:'), iif(${column} IS NULL, NULL, json_quote(${column}))`
}
