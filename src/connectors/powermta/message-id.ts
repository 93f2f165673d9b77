/** Which message a record of PowerMTA is about. It has no ids of its own, so something else must tell. */
import { AppError } from '../../lib/app-error.ts'
import { withoutBrackets } from '../address.ts'
import { eventId } from '../maillog/event-id.ts'
import { type AccountingRecord, textOf } from './columns.ts'

/** Shorter ones are counters and the like, which anybody can guess. */
const REPORTED_ID_LENGTH_MIN = 16

/**
 * An id that was given to the message: our header, or the envelope id (RFC 3461 section 4.4), as they are. Then the
 * Message-ID. Where there is none of them, time, sender and recipient stand for a message that is told of in several
 * records; a report has no such time, and an address alone ties nothing. See docs/decisions/0012 and 0013.
 */
export function findMessageId(record: AccountingRecord, isReport: boolean): string {
  const given = textOf(record, 'header_x-envelog-id') ?? textOf(record, 'envid')
  if (given !== undefined && !(isReport && given.length < REPORTED_ID_LENGTH_MIN)) return given
  const messageId = withoutBrackets(textOf(record, 'header_message-id') ?? '')
  if (messageId !== '') return eventId('powermta', messageId)
  if (isReport) throw new AppError('invalid_payload', 'the report carries no id that ties it to a message')
  const queued = textOf(record, 'timequeued') ?? textOf(record, 'timelogged') ?? ''
  const rest = ['orig', 'rcpt', 'jobid'].map((column) => record.get(column) ?? '')
  return eventId('powermta', queued, ...rest)
}
