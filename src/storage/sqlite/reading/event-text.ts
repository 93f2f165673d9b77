/**
 * Writes an event as the JSON text of the interface from its rows, so that a page is never parsed on its way out: SQL writes
 * the fields of the event and its message, and the texts that many events share are appended.
 */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { EventText, ShownFields } from '../../../events/log/log-query.ts'
import { ENDING_KEY } from '../days/ending-key.ts'
import type { RememberedTexts } from './remembered-texts.ts'

const TYPE_NAME = `CASE e.type ${EVENT_TYPES.map((type, number) => `WHEN ${number} THEN '${type}'`).join(' ')} END`

/** The values of `eventColumns` in a row. */
export type EventParts = readonly [endingKey: number, ownText: string, ...shown: (number | null)[]]

const NEXT_ATTEMPT = 'CAST(?1 AS INTEGER) + (e.position >> 32) + e.retry_after'

const SHOWN_COLUMNS: Readonly<Record<ShownFields, string>> = {
  interface: '',
  attempts: `, ${NEXT_ATTEMPT}`,
  sending: `, ${NEXT_ATTEMPT}, e.origin`,
}

/** SQL over `event e` and `message m`; the first two values are those of `ownText`. */
export function eventColumns(serviceMessageIdField: string, shown: ShownFields): string {
  return `${ENDING_KEY}, ${ownText(serviceMessageIdField)}${SHOWN_COLUMNS[shown]}`
}

export function toEventText(
  texts: RememberedTexts,
  endingKey: number,
  own: string,
  nextAttempt: number | null = null,
  origin: number | null = null,
): EventText {
  if (nextAttempt === null && origin === null) return own + texts.ending(endingKey)
  const attempt = nextAttempt === null ? '' : `,"next_attempt":${nextAttempt}`
  return own + attempt + (origin === null ? '' : texts.origin(origin)) + texts.ending(endingKey)
}

/**
 * Expression over `event e` and `message m`, with the first two values: the day's start in Unix seconds and the domain's name as
 * JSON. One concat() of all parts takes half the time of a chain of ||, which copies the text again for every
 * part; and most messages have nothing that JSON escapes, which saves a third.
 * The brand's field name is part of the text, not a value; it comes from the configuration.
 */
function ownText(serviceMessageIdField: string): string {
  return `CASE m.plain WHEN 3 THEN ${writeEvent(COMPLETE, serviceMessageIdField)}
    WHEN 2 THEN ${writeEvent(PLAIN, serviceMessageIdField)}
    ELSE ${writeEvent(ESCAPED, serviceMessageIdField)} END`
}

/** Arguments of concat(): literals and expressions. */
type Arguments = readonly string[]

/** How the fields of a message are written in JSON. */
interface FieldWriting {
  readonly text: (column: string) => Arguments
  readonly optionalText: (field: string, column: string) => Arguments
  readonly optionalNumber: (field: string, column: string) => Arguments
}

/** concat() takes NULL for nothing; json_quote() would make it `null`. */
const ESCAPED: FieldWriting = {
  text: (column) => [`json_quote(${column})`],
  optionalText: (field, column) => [ifPresent(column, `',${field}:'`), ifPresent(column, `json_quote(${column})`)],
  optionalNumber: (field, column) => [ifPresent(column, `',${field}:'`), column],
}

const PLAIN: FieldWriting = {
  text: (column) => [`'"'`, column, `'"'`],
  optionalText: (field, column) => [ifPresent(column, `',${field}:"'`), column, ifPresent(column, `'"'`)],
  optionalNumber: ESCAPED.optionalNumber,
}

/** No field is missing: none is tested. */
const COMPLETE: FieldWriting = {
  text: PLAIN.text,
  optionalText: (field, column) => [`',${field}:"'`, column, `'"'`],
  optionalNumber: (field, column) => [`',${field}:'`, column],
}

function writeEvent(message: FieldWriting, serviceMessageIdField: string): string {
  const serviceMessageId = JSON.stringify(serviceMessageIdField).replaceAll("'", "''")
  const all = [
    `'{"id":'`,
    ...message.text('m.id'),
    `',"timestamp":'`,
    'CAST(?1 AS INTEGER) + (e.position >> 32)',
    `',"type":"'`,
    TYPE_NAME,
    `'","domain_name":'`,
    '?2',
    `',"recipient":'`,
    ...message.text('m.recipient'),
    ...message.optionalText('"sender"', 'm.sender'),
    ...message.optionalText('"subject"', 'm.subject'),
    ...PLAIN.optionalNumber('"response_code"', 'e.response_code'),
    ...PLAIN.optionalText('"response_content"', 'e.content'),
    ...message.optionalText(serviceMessageId, 'm.service_message_id'),
    ...message.optionalNumber('"size"', 'm.size'),
  ]
  return `concat(${joinLiterals(all).join(', ')})`
}

/** Joins adjacent literals: each argument takes time. */
function joinLiterals(all: Arguments): Arguments {
  const joined: string[] = []
  for (const argument of all) {
    const last = joined.at(-1)
    if (last && isLiteral(last) && isLiteral(argument)) joined.splice(-1, 1, last.slice(0, -1) + argument.slice(1))
    else joined.push(argument)
  }
  return joined
}

function isLiteral(argument: string): boolean {
  return argument.startsWith("'")
}

function ifPresent(column: string, sql: string): string {
  return `iif(${column} IS NULL, NULL, ${sql})`
}
