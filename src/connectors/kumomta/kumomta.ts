/** KumoMTA's log records, sent by its log hooks and stored in its log segments: one JSON object each. */
import { UNCATEGORIZED } from '../../classification/bounce-classes.ts'
import type { Knowledge } from '../../classification/knowledge.ts'
import type { EventType } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { CODE_INTERNAL } from '../maillog/smtp-reply.ts'
import { senderDomainsOf } from '../shared/address.ts'
import { asRecord, asText, asTexts, isRecord, type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { toFeedbackEvents } from './feedback.ts'
import { hostName, messageFields, readResponse, readTimestamp } from './record-fields.ts'

/** Our event type for each of KumoMTA's record types; null for those that are not about the delivery of a message. */
const EVENT_TYPES: Readonly<Record<string, EventType | null>> = {
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
  // Sent to a client that tried to submit something; there is no message.
  Rejection: null,
  // Moved between queues or nodes. `messageFields` handles ids that change on the way.
  AdminRebind: null,
  DeferredInjectionRebind: null,
  XferOut: null,
  XferIn: null,
}

/** KumoMTA's own traffic: records queued for a log hook, and generators whose messages have records of their own. */
const INTERNAL_QUEUE = /(?:^|@)(?:[^@]+\.log_hook|generator\.kumomta\.internal)(?:!|$)/
const GENERATOR_PROTOCOL = 'HttpInjectionGenerator'

export function createKumomta(knowledge: Knowledge): Connector {
  return { name: 'kumomta', toEvents: (record) => toEvents(record, knowledge) }
}

function toEvents(record: unknown, knowledge: Knowledge): readonly ToldEvent[] {
  if (!isRecord(record)) throw new AppError('invalid_payload', 'a log record must be a JSON object')
  const kind = asText(record['type'])
  if (kind === undefined) throw new AppError('invalid_payload', 'type: is required')
  const type = Object.hasOwn(EVENT_TYPES, kind) ? EVENT_TYPES[kind] : undefined
  if (type === undefined)
    throw new AppError('invalid_payload', `type: ${JSON.stringify(kind)} is not a known record type`)
  if (type === null || isInternal(record)) return []
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
  return recipients.map((recipient) => ({ ...attribution, event: { ...fields, recipient } }))
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
    num_attempts: isReport ? undefined : record['num_attempts'],
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
