/** Converts a record of PowerMTA's accounting file (PowerMTA User's Guide, "Accounting Files and Statistics"). */
import type { EventType } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { isComplaint } from '../../reports/feedback-type.ts'
import { findInAddress } from '../../reports/return-path.ts'
import { type LeftOutReason, leftOut } from '../maillog/left-out.ts'
import { parseIsoTime } from '../maillog/log-time.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { parseReply, responseCode } from '../maillog/smtp-reply.ts'
import { senderDomainsOf } from '../shared/address.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import { toldExtension } from '../shared/told-extension.ts'
import { type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { findBounceClass } from './bounce-categories.ts'
import { type AccountingRecord, SERVICE_MESSAGE_ID, textOf } from './columns.ts'
import { findMessageId } from './message-id.ts'

/** The short and the long name of each kind of record; null for those that are about a queue, not about a message. */
const KINDS: readonly (readonly [short: string, long: string, type: EventType | null])[] = [
  ['r', 'receipt', 'Reception'],
  ['d', 'delivery', 'Delivery'],
  ['b', 'bounce', 'Bounce'],
  ['t', 'transient', 'TransientFailure'],
  ['tq', 'transient-queue', null],
  ['f', 'feedback-loop', 'Feedback'],
  ['rb', 'remote-bounce', 'OOBBounce'],
  ['rs', 'remote-status', 'Delayed'],
]
const EVENT_TYPES = new Map(KINDS.flatMap(([short, long, type]) => [short, long].map((name) => [name, type] as const)))

/** Reported by third parties: these count only if the log has the message. See docs/decisions/0013. */
const REPORTS: ReadonlySet<EventType> = new Set(['Feedback', 'OOBBounce', 'Delayed'])

/** An event, or why it is left out. Throws AppError `invalid_payload` for an invalid record. */
export function toMailLogRecord(record: AccountingRecord): MailLogRecord {
  const type = requireType(record)
  if (type === null) return leftOut('not_an_outcome')
  const reason = whyLeftOut(record, type)
  return reason === undefined ? toEventRecord(record, type) : leftOut(reason)
}

function whyLeftOut(record: AccountingRecord, type: EventType): LeftOutReason | undefined {
  if (type === 'Delivery' && record.get('dlvtype') === 'discard') return 'discarded'
  // A remote status may also say that the message was delivered after all.
  if (type === 'Delayed' && record.get('dsnaction') !== 'delayed') return 'not_an_outcome'
  if (type === 'Feedback' && !isComplaint(record.get('feedbacktype') ?? '')) return 'not_a_complaint'
  return undefined
}

function toEventRecord(record: AccountingRecord, type: EventType): MailLogRecord {
  const isReport = REPORTS.has(type)
  const sender = record.get('orig')
  const from = textOf(record, 'header_from')
  const reported = textOf(record, 'reporteddomain')
  const domains = senderDomainsOf(from, sender)
  // Only the server can verify it; then the id is that of the message.
  const reference = isReport ? findInAddress(sender ?? '')?.reference : undefined
  return {
    sender_domains: domains.length === 0 && reported !== undefined ? [reported] : domains,
    event: withoutUndefined({
      id: reference?.messageId ?? findMessageId(record, isReport),
      type,
      timestamp: requireTime(record),
      recipient: requireRecipient(record),
      // An empty sender in a report only means that it is unknown.
      sender: isReport && sender === '' ? undefined : sender,
      from: decodeHeaderText(from),
      subject: decodeHeaderText(textOf(record, 'header_subject')),
      direction: 'outbound',
      campaign: textOf(record, 'jobid'),
      service_message_id: textOf(record, SERVICE_MESSAGE_ID),
      reception_protocol: isReport ? undefined : textOf(record, 'srctype')?.toUpperCase(),
      ...responseFields(record, type),
      ...deliveryFields(record, type),
    }),
    ...sendingOf(record, type),
    // Without a sender it is a bounce or a reply in transit (RFC 5321 section 4.5.5), ours only if its From is.
    ...(sender === '' && !isReport && { if_unknown: 'skip' as const }),
    ...(isReport && { is_report: true as const }),
  }
}

function requireType(record: AccountingRecord): EventType | null {
  const name = record.get('type') ?? ''
  const type = EVENT_TYPES.get(name.trim().toLowerCase())
  if (type === undefined)
    throw new AppError('invalid_payload', `type: ${JSON.stringify(name)} is not a known record type`)
  return type
}

/** Where it was sent from. In a report, the address is what a third party says. */
function sendingOf(record: AccountingRecord, type: EventType): Pick<MailLogRecord, 'extension'> {
  if (type === 'Reception' || REPORTS.has(type)) return {}
  return toldExtension({
    sending_address: textOf(record, 'dlvsourceip'),
    sending_source: textOf(record, 'vmta'),
    sending_pool: textOf(record, 'vmtapool'),
  })
}

/** `2026-11-15 03:48:12+0000`, `11/15/2026 03:48:12+0000`, or Unix seconds. */
function requireTime(record: AccountingRecord): number {
  const text = (record.get('timelogged') ?? '').trim()
  if (/^\d{9,11}$/.test(text)) return Number(text)
  const time = parseIsoTime(text.replace(/^(\d\d)\/(\d\d)\/(\d{4}) /, '$3-$1-$2 '))
  if (time === undefined)
    throw new AppError('invalid_payload', `timeLogged: ${JSON.stringify(text)} is not a valid time`)
  return time
}

function requireRecipient(record: AccountingRecord): string {
  const recipient = textOf(record, 'rcpt')
  if (recipient === undefined) throw new AppError('invalid_payload', 'rcpt: is empty')
  return recipient
}

function responseFields(record: AccountingRecord, type: EventType): UntrustedRecord {
  if (type === 'Reception' || type === 'Feedback') return {}
  // `smtp;550 5.1.1 no`, `X-Unix; 78`: RFC 3464 section 2.3.6.
  const diagnostic = textOf(record, 'dsndiag')?.replace(/^[\w-]+;\s*/, '')
  const reply = diagnostic === undefined ? undefined : parseReply(diagnostic)
  const [, status, words] = /^([245]\.\d{1,3}\.\d{1,3})(?: \((.*)\))?$/s.exec(record.get('dsnstatus') ?? '') ?? []
  const isFailure = type === 'Bounce' || type === 'TransientFailure' || type === 'OOBBounce'
  return {
    response_code: responseCode(type, reply),
    response_enhanced_code: reply?.enhancedCode || status,
    response_content: reply?.text ?? diagnostic ?? words,
    bounce_classification: isFailure ? findBounceClass(textOf(record, 'bouncecat')) : undefined,
  }
}

function deliveryFields(record: AccountingRecord, type: EventType): UntrustedRecord {
  if (type === 'Reception') return {}
  const size = Number(record.get('dlvsize') ?? '')
  return {
    // `mx.example.org (192.0.2.1)`
    peer_name: /^([^\s()[\]]+)/.exec(record.get(type === 'Feedback' ? 'reportingmta' : 'dsnmta') ?? '')?.[1],
    delivery_protocol: record.get('dlvtype') === 'smtp' ? 'SMTP' : undefined,
    tls_protocol_version: textOf(record, 'dlvtlsprotocol'),
    tls_cipher: textOf(record, 'dlvtlscipher'),
    size: Number.isSafeInteger(size) && size > 0 ? size : undefined,
  }
}
