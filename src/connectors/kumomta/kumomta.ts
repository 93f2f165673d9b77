/** KumoMTA's log records, as its log hooks send them and its log segments hold them: one JSON object each. */
import { UNCATEGORIZED } from '../../classification/bounce-classes.ts'
import type { Connector, ToldEvent } from '../../events/connector.ts'
import type { EventType } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { senderDomainsOf } from '../address.ts'
import type { Knowledge } from '../knowledge.ts'
import { asRecord, asText, asTexts, isRecord, type UntrustedRecord, withoutUndefined } from '../untrusted.ts'
import { toFeedbackEvents } from './feedback.ts'
import { hostName, messageFields, readResponse, readTimestamp } from './record-fields.ts'

/** What each of KumoMTA's record types is to us; null where it says nothing about the delivery of a message. */
const EVENT_TYPES: Readonly<Record<string, EventType | null>> = {
  Reception: 'Reception',
  Delivery: 'Delivery',
  TransientFailure: 'TransientFailure',
  Delayed: 'Delayed',
  Bounce: 'Bounce',
  // Given up after the last attempt, or by the administrator: permanent, and not retried.
  Expiration: 'Bounce',
  AdminBounce: 'Bounce',
  OOB: 'OOBBounce',
  Feedback: 'Feedback',
  // An answer to a client that wanted to submit something; there is no message.
  Rejection: null,
  // Moved between queues or nodes. Ids that change on the way are followed by `messageFields`.
  AdminRebind: null,
  DeferredInjectionRebind: null,
  XferOut: null,
  XferIn: null,
}

/** The interface's code for a retry that is not the answer of a server. */
const CODE_DELAYED = 400

/** KumoMTA's own traffic: records on their way to a log hook, and generators of messages that get records of their own. */
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
  if (type === undefined) throw new AppError('invalid_payload', `type: ${JSON.stringify(kind)} is no known record type`)
  if (type === null || isInternal(record)) return []
  if (type === 'Feedback') return toFeedbackEvents(record, knowledge)
  const recipients = asTexts(record['recipient'])
  if (recipients.length === 0) throw new AppError('invalid_payload', 'recipient: names nobody')
  const fields = toFields(record, kind, type, knowledge)
  const told = {
    senderDomains: ownDomains(record) ?? senderDomainsOf(asText(fields['from']), asText(record['sender'])),
    // Without a sender it is a report or a reply on its way through (RFC 5321 section 4.5.5), ours only by its From.
    ifUnknown: record['sender'] === '' ? ('skip' as const) : ('reject' as const),
  }
  return recipients.map((recipient) => ({ ...told, event: { ...fields, recipient } }))
}

function isInternal(record: UntrustedRecord): boolean {
  return (
    record['reception_protocol'] === 'LogRecord' ||
    record['delivery_protocol'] === GENERATOR_PROTOCOL ||
    INTERNAL_QUEUE.test(asText(record['queue']) ?? '')
  )
}

/** The policy may say outright whose message it is. */
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
    response_code: type === 'Delayed' ? CODE_DELAYED : response.code,
    response_content: response.content,
    response_enhanced_code: response.enhancedCode,
    bounce_classification: classOf(record, kind, type, knowledge),
    // Unknown where the body was not in memory, and always for reports.
    size: size === 0 ? undefined : size,
    // A report does not know, and how it came in says nothing about the message.
    num_attempts: isReport ? undefined : record['num_attempts'],
    reception_protocol: isReport ? undefined : asText(record['reception_protocol']),
    ...deliveryFields(record, type, knowledge),
  })
}

/** About the server that mail was handed to. Of a Reception, peer and TLS are those of the client that submitted it. */
function deliveryFields(record: UntrustedRecord, type: EventType, knowledge: Knowledge): UntrustedRecord {
  if (type === 'Reception') return {}
  const peerName = hostName(asRecord(record['peer_address'])['name'])
  const provider = asText(record['provider_name'])
  return {
    peer_name: peerName,
    provider_name: provider ?? (peerName === undefined ? undefined : knowledge.findProvider(peerName)),
    delivery_protocol: asText(record['delivery_protocol']),
    tls_protocol_version: asText(record['tls_protocol_version']),
    tls_cipher: asText(record['tls_cipher']),
  }
}

/** KumoMTA puts `Uncategorized` on every record that its own classifier did not look at. */
function classOf(record: UntrustedRecord, kind: string, type: EventType, knowledge: Knowledge): string | undefined {
  if (type !== 'Bounce' && type !== 'TransientFailure' && type !== 'OOBBounce') return undefined
  const given = asText(record['bounce_classification']) ?? UNCATEGORIZED
  // Its rules take the 551 5.7.1 that an administrator's bounce carries for failed authentication.
  if (kind === 'AdminBounce' && (given === UNCATEGORIZED || given === 'AuthenticationFailed')) return 'AdminBounce'
  if (given !== UNCATEGORIZED) return given
  if (kind === 'Expiration') return 'MessageExpired'
  const { code, enhancedCode, content } = readResponse(record['response'])
  return knowledge.classify({ code: typeof code === 'number' ? code : undefined, enhancedCode, text: asText(content) })
}
