/** The records of our Haraka plugin (integrations/haraka): one per hook call that is about a message. */
import type { Knowledge } from '../../classification/knowledge.ts'
import type { EventType } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { CODE_INTERNAL } from '../maillog/smtp-reply.ts'
import { senderDomainsOf, withoutBrackets } from '../shared/address.ts'
import { decodeHeaderText } from '../shared/header-text.ts'
import { toldExtension } from '../shared/told-extension.ts'
import { asRecord, asText, isRecord, type UntrustedRecord, withoutUndefined } from '../shared/untrusted.ts'
import { type Answer, answerOf, findOwnClass, readFailure } from './answer.ts'

const EVENT_TYPES: Readonly<Record<string, EventType>> = {
  queue_ok: 'Reception',
  delivered: 'Delivery',
  // A failed attempt that will be repeated.
  deferred: 'TransientFailure',
  // Deferred by a plugin before an attempt, such as by a limit on a destination.
  delayed: 'Delayed',
  bounce: 'Bounce',
}

export function createHaraka(knowledge: Knowledge): Connector {
  return { name: 'haraka', toEvents: (record) => toEvents(record, knowledge) }
}

function toEvents(record: unknown, knowledge: Knowledge): readonly ToldEvent[] {
  if (!isRecord(record)) throw new AppError('invalid_payload', 'a record must be a JSON object')
  const hook = asText(record['hook'])
  if (hook === undefined) throw new AppError('invalid_payload', 'hook: is required')
  const type = Object.hasOwn(EVENT_TYPES, hook) ? EVENT_TYPES[hook] : undefined
  if (type === undefined) throw new AppError('invalid_payload', `hook: ${JSON.stringify(hook)} is not a known hook`)
  const recipients: readonly unknown[] = Array.isArray(record['recipients']) ? record['recipients'] : []
  if (recipients.length === 0) throw new AppError('invalid_payload', 'recipients: must be a non-empty list')
  const message = messageFields(record, type)
  const sending = sendingOf(record, type)
  const attribution = {
    senderDomains: senderDomainsOf(asText(message['from']), asText(message['sender'])),
    // Without a sender it is a bounce message in transit (RFC 5321 section 4.5.5), ours only if its From is.
    ifUnknown: message['sender'] === '' ? ('skip' as const) : ('reject' as const),
  }
  const shared = { type, timestamp: record['time'], ...message, ...deliveryFields(record, type, knowledge) }
  return recipients.map((recipient) => {
    const { address } = asRecord(recipient)
    const outcome = outcomeFields(record, asRecord(recipient), type, knowledge)
    return { ...attribution, event: withoutUndefined({ ...shared, recipient: bare(address), ...outcome }), ...sending }
  })
}

function messageFields(record: UntrustedRecord, type: EventType): UntrustedRecord {
  const { id, sender, size } = record
  return {
    id,
    sender: bare(sender),
    from: decodeHeaderText(asText(record['from'])),
    subject: decodeHeaderText(asText(record['subject'])),
    size: size === 0 ? undefined : size,
    num_attempts: attemptsMade(record, type),
    reception_protocol: asText(record['reception_protocol']),
    service_message_id: asText(record['service_message_id']),
    campaign: asText(record['campaign']),
    direction: 'outbound',
  }
}

/** The plugin sends the number of the attempt that has begun; a delayed message was not tried. */
function attemptsMade({ attempt }: UntrustedRecord, type: EventType): unknown {
  return type === 'Delayed' && typeof attempt === 'number' ? attempt - 1 : attempt
}

/** The address that Haraka bound, and when it will try again. */
function sendingOf({ local_address, time, delay }: UntrustedRecord, type: EventType) {
  const isRetried = (type === 'TransientFailure' || type === 'Delayed') && typeof delay === 'number' && delay >= 0
  return toldExtension({
    sending_address: type === 'Reception' || type === 'Delayed' ? undefined : local_address,
    next_attempt: isRetried ? Number(time) + Math.round(delay) : undefined,
  })
}

/** Values of other types are passed on, for the event's own check to reject. */
function bare(address: unknown): unknown {
  return typeof address === 'string' ? withoutBrackets(address) : address
}

function deliveryFields(record: UntrustedRecord, type: EventType, knowledge: Knowledge): UntrustedRecord {
  if (type === 'Reception' || type === 'Delayed') return {}
  const host = asText(asText(record['host'])?.replace(/\.$/, ''))
  const tls = asRecord(record['tls'])
  return {
    peer_name: host,
    provider_name: knowledge.findProvider(host),
    delivery_protocol: asText(record['mode']),
    tls_protocol_version: asText(tls['version']),
    tls_cipher: asText(tls['cipher']),
  }
}

function outcomeFields(
  record: UntrustedRecord,
  recipient: UntrustedRecord,
  type: EventType,
  knowledge: Knowledge,
): UntrustedRecord {
  if (type === 'Reception') return {}
  // Haraka reports a delivery after any 2xx reply, and may leave out the code.
  if (type === 'Delivery')
    return responseFields(answerOf(record['code'] ?? 250, record['enhanced'], record['response']))
  if (type === 'Delayed') return { response_code: CODE_INTERNAL, response_content: describeDelay(record['delay']) }
  const { answer, text, isGivenUp } = readFailure(asText(record['error']) ?? '', recipient)
  const fields = answer
    ? responseFields(answer)
    : { response_code: type === 'TransientFailure' ? CODE_INTERNAL : undefined, response_content: asText(text) }
  // After the last attempt, the reply explains why that attempt failed, not why Haraka gave up.
  const bounceClass = isGivenUp ? 'MessageExpired' : classOf(answer, text, knowledge)
  return { ...fields, bounce_classification: bounceClass }
}

function classOf(answer: Answer | undefined, text: string, knowledge: Knowledge): string {
  return answer ? knowledge.classify(answer) : (findOwnClass(text) ?? knowledge.classify({ text }))
}

function responseFields({ code, enhancedCode, text }: Answer): UntrustedRecord {
  return { response_code: code, response_content: asText(text), response_enhanced_code: enhancedCode }
}

function describeDelay(seconds: unknown): string {
  return typeof seconds === 'number' && Number.isFinite(seconds)
    ? `Deferred for ${seconds} seconds before an attempt`
    : 'Deferred before an attempt'
}
