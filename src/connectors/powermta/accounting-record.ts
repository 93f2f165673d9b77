/** Converts a record of PowerMTA's accounting file (PowerMTA User's Guide, "Accounting Files and Statistics"). */
import type { EventType } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { parseIsoTime } from '../maillog/log-time.ts'
import type { MailLogRecord } from '../maillog/maillog.ts'
import { parseReply, responseCode } from '../maillog/smtp-reply.ts'
import { senderDomainsOf } from '../shared/address.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import { type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { findBounceClass } from './bounce-categories.ts'
import { type AccountingRecord, SERVICE_MESSAGE_ID, textOf } from './columns.ts'
import { findMessageId } from './message-id.ts'

type Kind = 'd' | 'b' | 't' | 'tq' | 'r' | 'f' | 'rb' | 'rs'

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ...(['d', 'b', 't', 'tq', 'r', 'f', 'rb', 'rs'] as const).map((kind) => [kind, kind] as const),
  ['delivery', 'd'],
  ['bounce', 'b'],
  ['transient', 't'],
  ['transient-queue', 'tq'],
  ['receipt', 'r'],
  ['feedback-loop', 'f'],
  ['remote-bounce', 'rb'],
  ['remote-status', 'rs'],
])

/** Reported by third parties: these count only if the log has the message. See docs/decisions/0013. */
const REPORTS: ReadonlySet<Kind> = new Set<Kind>(['f', 'rb', 'rs'])

/** Undefined for a record that is not about a recipient. Throws AppError `invalid_payload` for an invalid record. */
export function toMailLogRecord(record: AccountingRecord): MailLogRecord | undefined {
  const kind = requireKind(record)
  const type = typeOf(kind, record)
  if (type === undefined) return undefined
  const isReport = REPORTS.has(kind)
  const sender = record.get('orig')
  const from = textOf(record, 'header_from')
  const reported = textOf(record, 'reporteddomain')
  const domains = senderDomainsOf(from, sender)
  return {
    sender_domains: domains.length === 0 && reported !== undefined ? [reported] : domains,
    event: withoutUndefined({
      id: findMessageId(record, isReport),
      type,
      timestamp: requireTime(record),
      recipient: requireRecipient(record),
      // An empty sender in a report only means that it is unknown.
      sender: isReport && sender === '' ? undefined : sender,
      from: decoded(from),
      subject: decoded(textOf(record, 'header_subject')),
      direction: 'outbound',
      campaign: textOf(record, 'jobid'),
      service_message_id: textOf(record, SERVICE_MESSAGE_ID),
      reception_protocol: isReport ? undefined : textOf(record, 'srctype')?.toUpperCase(),
      ...responseFields(record, type),
      ...deliveryFields(record, kind),
    }),
    // Without a sender it is a bounce or a reply in transit (RFC 5321 section 4.5.5), ours only if its From is.
    ...(sender === '' && !isReport && { if_unknown: 'skip' as const }),
    ...(isReport && { is_report: true as const }),
  }
}

function requireKind(record: AccountingRecord): Kind {
  const name = record.get('type') ?? ''
  const kind = KINDS.get(name.trim().toLowerCase())
  if (kind === undefined)
    throw new AppError('invalid_payload', `type: ${JSON.stringify(name)} is not a known record type`)
  return kind
}

function typeOf(kind: Kind, record: AccountingRecord): EventType | undefined {
  switch (kind) {
    case 'r':
      return 'Reception'
    case 'd':
      return record.get('dlvtype') === 'discard' ? undefined : 'Delivery'
    case 'b':
      return 'Bounce'
    case 't':
      return 'TransientFailure'
    case 'rb':
      return 'OOBBounce'
    case 'rs':
      return record.get('dsnaction') === 'delayed' ? 'Delayed' : undefined
    case 'f':
      return 'Feedback'
    // About a queue, not about a message.
    case 'tq':
      return undefined
  }
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

function deliveryFields(record: AccountingRecord, kind: Kind): UntrustedRecord {
  if (kind === 'r') return {}
  const size = Number(record.get('dlvsize') ?? '')
  return {
    // `mx.example.org (192.0.2.1)`
    peer_name: /^([^\s()[\]]+)/.exec(record.get(kind === 'f' ? 'reportingmta' : 'dsnmta') ?? '')?.[1],
    delivery_protocol: record.get('dlvtype') === 'smtp' ? 'SMTP' : undefined,
    tls_protocol_version: textOf(record, 'dlvtlsprotocol'),
    tls_cipher: textOf(record, 'dlvtlscipher'),
    size: Number.isSafeInteger(size) && size > 0 ? size : undefined,
  }
}

function decoded(header: string | undefined): string | undefined {
  return header === undefined ? undefined : decodeHeaderText(header)
}
