/** Identifies the message of a PowerMTA record. PowerMTA has no message ids of its own. */
import { AppError } from '../../lib/app-error.ts'
import { eventId } from '../maillog/event-id.ts'
import { withoutBrackets } from '../shared/address.ts'
import { type AccountingRecord, textOf } from './columns.ts'

/** Shorter ids, such as counters, are easily guessed. */
const REPORTED_ID_LENGTH_MIN = 16

/**
 * First an id given by the sending program: our header or the envelope id (RFC 3461 section 4.4), unchanged. Then the
 * Message-ID. Otherwise queue time, sender and recipient identify the message across its records; a report has no queue
 * time, and an address alone does not identify a message. See docs/decisions/0012 and 0013.
 */
export function findMessageId(record: AccountingRecord, isReport: boolean): string {
  const given = textOf(record, 'header_x-envelog-id') ?? textOf(record, 'envid')
  if (given !== undefined && !(isReport && given.length < REPORTED_ID_LENGTH_MIN)) return given
  const messageId = withoutBrackets(textOf(record, 'header_message-id') ?? '')
  if (messageId !== '') return idOfMessageId(messageId)
  if (isReport) throw new AppError('invalid_payload', 'the report has no id that identifies a message')
  const queued = textOf(record, 'timequeued') ?? textOf(record, 'timelogged') ?? ''
  const rest = ['orig', 'rcpt', 'jobid'].map((column) => record.get(column) ?? '')
  return eventId('powermta', queued, ...rest)
}

/** `messageId`: without brackets. */
export function idOfMessageId(messageId: string): string {
  return eventId('powermta', messageId)
}
