/** The records of our plugin for Haraka (integrations/haraka): one for each of its hooks that tells something about a message. */
import type { Connector, ToldEvent } from '../../events/connector.ts'
import type { EventType } from '../../events/event.ts'
import { AppError } from '../../lib/app-error.ts'
import { senderDomainsOf, withoutBrackets } from '../address.ts'
import { decodeHeaderText } from '../header-text.ts'
import type { Knowledge } from '../knowledge.ts'
import { asRecord, asText, isRecord, type UntrustedRecord, withoutUndefined } from '../untrusted.ts'
import { type Answer, answerOf, findOwnClass, readFailure } from './answer.ts'

const EVENT_TYPES: Readonly<Record<string, EventType>> = {
  queue_ok: 'Reception',
  delivered: 'Delivery',
  // An attempt that failed and will be repeated.
  deferred: 'TransientFailure',
  // Put off by a plugin before anything was attempted: a limit on a destination, for example.
  delayed: 'Delayed',
  bounce: 'Bounce',
}

/** The interface's code for what no server has answered. */
const CODE_INTERNAL = 400

/** Headers that are remembered once they were made readable; every event of a message brings the same. */
const REMEMBERED_MAX = 5000

type HeaderReader = (header: unknown) => string | undefined

export function createHaraka(knowledge: Knowledge): Connector {
  const readHeader = createHeaderReader()
  return { name: 'haraka', toEvents: (record) => toEvents(record, knowledge, readHeader) }
}

function createHeaderReader(): HeaderReader {
  const remembered = new Map<string, string>()
  return (header) => {
    const raw = asText(header)
    if (raw === undefined || !raw.includes('=?')) return raw
    let text = remembered.get(raw)
    if (text === undefined) {
      text = decodeHeaderText(raw)
      if (remembered.size >= REMEMBERED_MAX) remembered.clear()
      remembered.set(raw, text)
    }
    return text
  }
}

function toEvents(record: unknown, knowledge: Knowledge, readHeader: HeaderReader): readonly ToldEvent[] {
  if (!isRecord(record)) throw new AppError('invalid_payload', 'a record must be a JSON object')
  const hook = asText(record['hook'])
  if (hook === undefined) throw new AppError('invalid_payload', 'hook: is required')
  const type = Object.hasOwn(EVENT_TYPES, hook) ? EVENT_TYPES[hook] : undefined
  if (type === undefined) throw new AppError('invalid_payload', `hook: ${JSON.stringify(hook)} is none of ours`)
  const recipients: readonly unknown[] = Array.isArray(record['recipients']) ? record['recipients'] : []
  if (recipients.length === 0) throw new AppError('invalid_payload', 'recipients: names nobody')
  const message = messageFields(record, readHeader)
  const told = {
    senderDomains: senderDomainsOf(asText(message['from']), asText(message['sender'])),
    // Without a sender it is a report on its way (RFC 5321 section 4.5.5), ours only by its From.
    ifUnknown: message['sender'] === '' ? ('skip' as const) : ('reject' as const),
  }
  const shared = { type, timestamp: record['time'], ...message, ...deliveryFields(record, type, knowledge) }
  return recipients.map((recipient) => {
    const { address } = asRecord(recipient)
    const outcome = outcomeFields(record, asRecord(recipient), type, knowledge)
    return { ...told, event: withoutUndefined({ ...shared, recipient: bare(address), ...outcome }) }
  })
}

function messageFields(record: UntrustedRecord, readHeader: HeaderReader): UntrustedRecord {
  const { id, sender, size, attempt } = record
  return {
    id,
    sender: bare(sender),
    from: readHeader(record['from']),
    subject: readHeader(record['subject']),
    size: size === 0 ? undefined : size,
    num_attempts: attempt,
    reception_protocol: asText(record['reception_protocol']),
    service_message_id: asText(record['service_message_id']),
    campaign: asText(record['campaign']),
    direction: 'outbound',
  }
}

/** What is no text is left for the event's own check to refuse. */
function bare(address: unknown): unknown {
  return typeof address === 'string' ? withoutBrackets(address) : address
}

function deliveryFields(record: UntrustedRecord, type: EventType, knowledge: Knowledge): UntrustedRecord {
  if (type === 'Reception' || type === 'Delayed') return {}
  const host = asText(asText(record['host'])?.replace(/\.$/, ''))
  const tls = asRecord(record['tls'])
  return {
    peer_name: host,
    provider_name: host === undefined ? undefined : knowledge.findProvider(host),
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
  // Haraka calls it delivered after an answer of 2xx, and tells the text without the code.
  if (type === 'Delivery')
    return responseFields(answerOf(record['code'] ?? 250, record['enhanced'], record['response']))
  if (type === 'Delayed') return { response_code: CODE_INTERNAL, response_content: describeDelay(record['delay']) }
  return type === 'Reception' ? {} : failureFields(record, recipient, type, knowledge)
}

function failureFields(
  record: UntrustedRecord,
  recipient: UntrustedRecord,
  type: EventType,
  knowledge: Knowledge,
): UntrustedRecord {
  const { answer, text, isGivenUp } = readFailure(asText(record['error']) ?? '', recipient)
  const fields = answer
    ? responseFields(answer)
    : { response_code: type === 'TransientFailure' ? CODE_INTERNAL : undefined, response_content: asText(text) }
  // After the last attempt: the answer says why that one failed, not that it was the last.
  const bounceClass = isGivenUp ? 'MessageExpired' : classOf(answer, text, knowledge)
  return { ...fields, bounce_classification: bounceClass }
}

function classOf(answer: Answer | undefined, text: string, knowledge: Knowledge): string {
  if (!answer) return findOwnClass(text) ?? knowledge.classify({ text })
  const { code, enhancedCode, text: words } = answer
  return knowledge.classify({ code: typeof code === 'number' ? code : undefined, enhancedCode, text: words })
}

function responseFields({ code, enhancedCode, text }: Answer): UntrustedRecord {
  return { response_code: code, response_content: asText(text), response_enhanced_code: enhancedCode }
}

function describeDelay(seconds: unknown): string {
  return typeof seconds === 'number' && Number.isFinite(seconds)
    ? `Put off for ${seconds} seconds before an attempt`
    : 'Put off before an attempt'
}
