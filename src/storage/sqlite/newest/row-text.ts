/** Writes an event as JSON text from the row that was stored, exactly as SQL writes it from the tables (event-text.ts). */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { EventText, ShownFields } from '../../../events/log/log-query.ts'
import { originMembers, splitOriginText } from '../../rows/origin-text.ts'
import type { EventRow } from '../writing/event-row.ts'

/** `serviceMessageIdField`: the brand's name of that field. */
export function toRowText(
  row: EventRow,
  timestamp: number,
  domainName: string,
  shown: ShownFields,
  serviceMessageIdField: string,
): EventText {
  // Most messages have nothing that JSON escapes.
  const quote = row.plain === 2 ? quotePlain : (text: string) => JSON.stringify(text)
  const nextAttempt = shown === 'interface' || row.retryAfter === null ? null : timestamp + row.retryAfter
  // Joined, not concatenated: that would keep the texts of the request in memory, each with its own overhead.
  return [
    `{"id":${quote(row.id)},"timestamp":${timestamp},"type":"${EVENT_TYPES[row.type]}"`,
    `,"domain_name":${JSON.stringify(domainName)},"recipient":${quote(row.recipient)}`,
    row.sender === null ? '' : `,"sender":${quote(row.sender)}`,
    row.subject === null ? '' : `,"subject":${quote(row.subject)}`,
    row.responseCode === null ? '' : `,"response_code":${row.responseCode}`,
    row.content === null ? '' : `,"response_content":"${row.content}"`,
    row.serviceMessageId === null ? '' : `,${JSON.stringify(serviceMessageIdField)}:${quote(row.serviceMessageId)}`,
    row.size === null ? '' : `,"size":${row.size}`,
    nextAttempt === null ? '' : `,"next_attempt":${nextAttempt}`,
    shown === 'sending' && row.origin !== '' ? originMembers(...splitOriginText(row.origin)) : '',
    row.circumstance,
    row.mailing,
    '}',
  ].join('')
}

/** What a row and its texts take, in characters; a few texts are shared with other rows. */
export function countCharacters(row: EventRow): number {
  const shared = row.circumstance.length + row.mailing.length + row.origin.length + row.provider.length
  const { id, recipient, classification, content, sender, from, subject, serviceMessageId } = row
  const own = id.length + recipient.length + classification.length + lengthOf(content) + lengthOf(sender)
  return ROW_CHARACTERS + shared + own + lengthOf(from) + lengthOf(subject) + lengthOf(serviceMessageId)
}

/** The row itself. */
const ROW_CHARACTERS = 200

function lengthOf(text: string | null): number {
  return text === null ? 0 : text.length
}

function quotePlain(text: string): string {
  return `"${text}"`
}
