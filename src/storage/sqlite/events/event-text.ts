/** SQL that writes an event as the JSON text of the interface from its rows, so that a page is never parsed on its way out. */
import { EVENT_TYPES } from '../../../events/event.ts'

/** What an event is put together from, to be joined to `message m` and `event e`. */
export const EVENT_TABLES = `
  CROSS JOIN mailing l ON l.key = m.mailing
  CROSS JOIN circumstance c ON c.key = e.circumstance`

const TYPE_NAME = `CASE e.type ${EVENT_TYPES.map((type, number) => `WHEN ${number} THEN '${type}'`).join(' ')} END`

/**
 * Expression over `event e`, `message m` and EVENT_TABLES, with the first two values: the day's start in Unix seconds and the
 * domain's name as JSON. One concat() of all parts takes half the time of a chain of ||, which copies the text again for every
 * part; and most messages have nothing that JSON escapes, which saves a third.
 * The brand's field name is part of the text, not a value; it comes from the configuration.
 */
export function eventText(serviceMessageIdField: string): string {
  return `CASE m.plain WHEN 3 THEN ${writeEvent(COMPLETE, serviceMessageIdField)}
    WHEN 2 THEN ${writeEvent(PLAIN, serviceMessageIdField)}
    ELSE ${writeEvent(ESCAPED, serviceMessageIdField)} END`
}

/** SQL for the arguments of concat() that write a text of the message in JSON. */
interface TextWriting {
  text(column: string): string
  optionalText(field: string, column: string): string
  optionalNumber(field: string, column: string): string
}

/** concat() takes NULL for nothing; json_quote() would make it `null`. */
const ESCAPED: TextWriting = {
  text: (column) => `json_quote(${column})`,
  optionalText: (field, column) =>
    `${ifPresent(column, `',${field}:'`)}, ${ifPresent(column, `json_quote(${column})`)}`,
  optionalNumber: (field, column) => `${ifPresent(column, `',${field}:'`)}, ${column}`,
}

const PLAIN: TextWriting = {
  text: (column) => `'"', ${column}, '"'`,
  optionalText: (field, column) => `${ifPresent(column, `',${field}:"'`)}, ${column}, ${ifPresent(column, `'"'`)}`,
  optionalNumber: ESCAPED.optionalNumber,
}

/** Without a question for each field. */
const COMPLETE: TextWriting = {
  text: PLAIN.text,
  optionalText: (field, column) => `',${field}:"', ${column}, '"'`,
  optionalNumber: (field, column) => `',${field}:', ${column}`,
}

function writeEvent(message: TextWriting, serviceMessageIdField: string): string {
  const serviceMessageId = JSON.stringify(serviceMessageIdField).replaceAll("'", "''")
  return `concat(
    '{"id":', ${message.text('m.id')},
    ',"timestamp":', CAST(?1 AS INTEGER) + (e.position >> 32),
    ',"type":"', ${TYPE_NAME},
    '","domain_name":', ?2,
    ',"recipient":', ${message.text('m.recipient')},
    ${message.optionalText('"sender"', 'm.sender')},
    ${message.optionalText('"subject"', 'm.subject')},
    ${PLAIN.optionalNumber('"response_code"', 'e.response_code')},
    ${PLAIN.optionalText('"response_content"', 'e.content')},
    c.members,
    ${message.optionalText(serviceMessageId, 'm.service_message_id')},
    ${message.optionalNumber('"size"', 'm.size')},
    l.members, '}')`
}

function ifPresent(column: string, sql: string): string {
  return `iif(${column} IS NULL, NULL, ${sql})`
}
