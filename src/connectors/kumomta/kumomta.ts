/** KumoMTA's log records, sent by its log hooks and stored in its log segments: one JSON object each. */
import { UNCATEGORIZED } from '../../classification/bounce-classes.ts'
import type { Knowledge } from '../../classification/knowledge.ts'
import type { EventType } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { CODE_INTERNAL } from '../maillog/smtp-reply.ts'
import { senderDomainsOf } from '../shared/address.ts'
import { referenceClaim } from '../shared/reference-claim.ts'
import { asRecord, asText, asTexts, isRecord, type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { isFeedbackComplaint, toFeedbackEvents } from './feedback.ts'
import { hostName, messageFields, readAttempts, readResponse, readTimestamp } from './record-fields.ts'
import { sendingOf } from './sending.ts'

/** Our event type for each of KumoMTA's record types. */
const EVENT_TYPES: Readonly<Record<string, EventType>> = {
  Reception: 'Reception',
  Delivery: 'Delivery',
  TransientFailure: 'TransientFailure',
  Delayed: 'Delayed',
  Bounce: 'Bounce',
  // Given up after the last attempt or by the administrator: a permanent failure.
  Expiration: 'Bounce',
  AdminBounce: 'Bounce',
  OOB: 'OOBBounce',
  Feedback: 'Feedback',
}

/** Record types that are not about the delivery of a message. `messageFields` handles ids that change on the way. */
const NOT_EVENTS: ReadonlyMap<unknown, string> = new Map([
  ['Rejection', 'a reply to a client that tried to submit something; there is no message'],
  ['AdminRebind', 'the message was moved to another queue'],
  ['DeferredInjectionRebind', 'the message was moved to another queue'],
  ['XferOut', 'the message was moved to another node'],
  ['XferIn', 'the message was moved from another node'],
])

/** KumoMTA's own traffic: records queued for a log hook, and generators whose messages have records of their own. */
const INTERNAL_QUEUE = /(?:^|@)(?:[^@]+\.log_hook|generator\.kumomta\.internal)(?:!|$)/
const GENERATOR_PROTOCOL = 'HttpInjectionGenerator'

export function createKumomta(knowledge: Knowledge): Connector {
  return { name: 'kumomta', toEvents: (record) => toEvents(record, knowledge) }
}

function toEvents(record: unknown, knowledge: Knowledge): readonly ToldEvent[] {
  if (!isRecord(record)) throw new AppError('invalid_payload', 'a log record must be a JSON object')
  if (whyLeftOut(record) !== undefined) return []
  const kind = asText(record['type'])
  if (kind === undefined) throw new AppError('invalid_payload', 'type: is required')
  const type = Object.hasOwn(EVENT_TYPES, kind) ? EVENT_TYPES[kind] : undefined
  if (type === undefined)
    throw new AppError('invalid_payload', `type: ${JSON.stringify(kind)} is not a known record type`)
  if (type === 'Feedback') return toFeedbackEvents(record, knowledge)
  const recipients = asTexts(record['recipient'])
  if (recipients.length === 0)
    throw new AppError('invalid_payload', 'recipient: must be an address or a list of addresses')
  const fields = toFields(record, kind, type, knowledge)
  const attribution = {
    senderDomains: ownDomains(record) ?? senderDomainsOf(asText(fields['from']), asText(record['sender'])),
    // Without a sender it is a bounce or a reply in transit (RFC 5321 section 4.5.5), ours only if its From is.
    ifUnknown: record['sender'] === '' ? ('skip' as const) : ('reject' as const),
  }
  const sending = sendingOf(record, kind)
  // Of a bounce message it is the return path. KumoMTA accepts them from anybody: only a signed one ties it to a message.
  const claim = type === 'OOBBounce' ? referenceClaim(record['sender']) : {}
  return recipients.map((recipient) => ({ ...attribution, event: { ...fields, recipient }, ...sending, ...claim }))
}

/** Why a record deliberately produces no events; undefined for all others. */
export function whyLeftOut(record: unknown): string | undefined {
  if (!isRecord(record)) return undefined
  const { type } = record
  const reason = NOT_EVENTS.get(type)
  if (reason !== undefined) return reason
  if (typeof type === 'string' && Object.hasOwn(EVENT_TYPES, type) && isInternal(record))
    return "KumoMTA's own traffic: a record queued for a log hook, or a generator whose messages have records of their own"
  if (type === 'Feedback' && !isFeedbackComplaint(record)) return 'a feedback report that is not a complaint'
  return undefined
}

function isInternal(record: UntrustedRecord): boolean {
  return (
    record['reception_protocol'] === 'LogRecord' ||
    record['delivery_protocol'] === GENERATOR_PROTOCOL ||
    INTERNAL_QUEUE.test(asText(record['queue']) ?? '')
  )
}

/** The sender domain, if the policy sets it explicitly. */
function ownDomains(record: UntrustedRecord): readonly string[] | undefined {
  const domain = asText(asRecord(record['meta'])['x_envelog_domain'])
  return domain === undefined ? undefined : [domain]
}

function toFields(record: UntrustedRecord, kind: string, type: EventType, knowledge: Knowledge): UntrustedRecord {
  const response = readResponse(record['response'])
  const size = record['size']
  const isReport = type === 'OOBBounce'
  return withoutUndefined({
    ...messageFields(record, type),
    type,
    timestamp: readTimestamp(record),
    sender: record['sender'],
    response_code: type === 'Delayed' ? CODE_INTERNAL : response.code,
    response_content: response.content,
    response_enhanced_code: response.enhancedCode,
    bounce_classification: classOf(record, kind, type, knowledge),
    // Unknown if the body was not in memory, and for all reports.
    size: size === 0 ? undefined : size,
    // A report does not know the attempts, and its own reception says nothing about the message.
    num_attempts: isReport ? undefined : readAttempts(record, kind),
    reception_protocol: isReport ? undefined : asText(record['reception_protocol']),
    ...deliveryFields(record, type, knowledge),
  })
}

/** About the receiving server. In a Reception, peer and TLS are those of the submitting client. */
function deliveryFields(record: UntrustedRecord, type: EventType, knowledge: Knowledge): UntrustedRecord {
  if (type === 'Reception') return {}
  const peerName = hostName(asRecord(record['peer_address'])['name'])
  return {
    peer_name: peerName,
    provider_name: asText(record['provider_name']) ?? knowledge.findProvider(peerName),
    delivery_protocol: asText(record['delivery_protocol']),
    tls_protocol_version: asText(record['tls_protocol_version']),
    tls_cipher: asText(record['tls_cipher']),
  }
}

/** KumoMTA writes `Uncategorized` into every record that its own classifier did not process. */
function classOf(record: UntrustedRecord, kind: string, type: EventType, knowledge: Knowledge): string | undefined {
  if (type !== 'Bounce' && type !== 'TransientFailure' && type !== 'OOBBounce') return undefined
  const given = asText(record['bounce_classification']) ?? UNCATEGORIZED
  // KumoMTA's rules misread the 551 5.7.1 of an administrator's bounce as failed authentication.
  if (kind === 'AdminBounce' && (given === UNCATEGORIZED || given === 'AuthenticationFailed')) return 'AdminBounce'
  if (given !== UNCATEGORIZED) return given
  if (kind === 'Expiration') return 'MessageExpired'
  const { code, enhancedCode, content } = readResponse(record['response'])
  return knowledge.classify({ code, enhancedCode, text: asText(content) })
}
