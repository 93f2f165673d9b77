/** An event in the shape of the day file's tables, ready to be bound to statements. */
import { hash } from 'node:crypto'
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/event-store.ts'
import { isPlainAscii } from '../../../lib/case-folding.ts'
import { type Day, dayOfTimestamp, startOfDay } from './day.ts'

export interface EventRow {
  readonly day: Day
  readonly secondOfDay: number
  readonly domain: number
  readonly type: number
  readonly responseCode: number | null
  /** Escaped for JSON. */
  readonly content: string | null
  /** Fields that many events share word for word, as JSON members. */
  readonly circumstance: string
  /** Where the event is looked for among those of its message. */
  readonly key: number
  readonly provider: string
  readonly classification: string
  readonly id: string
  readonly recipient: string
  readonly sender: string | null
  readonly from: string | null
  readonly subject: string | null
  readonly serviceMessageId: string | null
  readonly size: number | null
  /** Fields that the messages of one mailing share, as JSON members. */
  readonly mailing: string
  readonly plain: Plain
  readonly identity: number
}

/** How much care the texts of a message need: all; only lower-case and upper-case of A to Z are the same; none in JSON either. */
type Plain = 0 | 1 | 2

/** JSON writes these characters as they are. */
const NOTHING_TO_ESCAPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Numbers that the lower half of an identity can have. */
const DETAILS = 2 ** 24

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, index) => [type, index]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? -1
}

export function toEventRow({ domainNumber, event, extension }: AttributedEvent): EventRow {
  const day = dayOfTimestamp(event.timestamp)
  const secondOfDay = event.timestamp - startOfDay(day)
  const type = typeNumber(event.type)
  const responseCode = event.response_code ?? null
  const circumstance = circumstanceMembers(event, extension)
  const mailing = mailingMembers(event)
  const { id, recipient, sender = null, from = null, subject = null, size = null } = event
  const { response_content: content = null, service_message_id: serviceMessageId = null } = event
  const details = `${recipient}\n${sender}\n${subject}\n${serviceMessageId}\n${size}${mailing}`
  return {
    day,
    secondOfDay,
    domain: domainNumber,
    type,
    responseCode,
    content: content === null ? null : escapeForJson(content),
    circumstance,
    key: bitsOf(`${secondOfDay} ${type} ${responseCode} ${content}${circumstance}`) >>> 1,
    provider: event.provider_name ?? '',
    classification: event.bounce_classification ?? '',
    id,
    recipient,
    sender,
    from,
    subject,
    serviceMessageId,
    size,
    mailing,
    plain: plainness(`${id}${recipient}${sender}${subject}${serviceMessageId}`, from ?? ''),
    identity: identityOf(id, details),
  }
}

/** Messages of an id have identities from the first (inclusive) to the second (exclusive). */
export function identityRange(idHash: number): readonly [number, number] {
  return [idHash * DETAILS, (idHash + 1) * DETAILS]
}

/** The upper half of an identity. */
export function idHashOf(identity: number): number {
  return Math.floor(identity / DETAILS)
}

/** Need not be unique: rows with the same number are compared field by field. */
function identityOf(id: string, details: string): number {
  return hashId(id) * DETAILS + (bitsOf(details) >>> 8)
}

/** 24 bits. Tenants choose ids, so it has to be hard to find many with the same. */
export function hashId(id: string): number {
  return bitsOf(id) >>> 8
}

/** 32 bits. Native code hashes a text of this length in less time than a loop here reads it. */
function bitsOf(text: string): number {
  const bytes = hash('sha256', text, 'binary')
  const high = (bytes.charCodeAt(0) << 8) | bytes.charCodeAt(1)
  return ((high << 16) | (bytes.charCodeAt(2) << 8) | bytes.charCodeAt(3)) >>> 0
}

/** The order of the fields is part of the event's key: fields may be added at the end, never moved. */
function circumstanceMembers(event: EmailEvent, extension: EventExtension = {}): string {
  return toMembers({
    response_enhanced_code: event.response_enhanced_code,
    provider_name: event.provider_name,
    peer_name: event.peer_name,
    bounce_classification: event.bounce_classification,
    num_attempts: event.num_attempts,
    delivery_protocol: event.delivery_protocol,
    tls_protocol_version: event.tls_protocol_version,
    tls_cipher: event.tls_cipher,
    url: extension.url,
    machine: extension.machine,
  })
}

/** The order of the fields is part of the message's identity, as above. */
function mailingMembers(event: EmailEvent): string {
  return toMembers({
    from: event.from,
    direction: event.direction,
    campaign: event.campaign,
    reception_protocol: event.reception_protocol,
  })
}

/** `,"a":1,"b":"x"` for the fields that are present. */
function toMembers(fields: object): string {
  const text = JSON.stringify(fields)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}

function plainness(texts: string, from: string): Plain {
  if (!isPlainAscii(texts) || !isPlainAscii(from) || texts.includes('\0') || from.includes('\0')) return 0
  return NOTHING_TO_ESCAPE.test(texts) ? 2 : 1
}

function escapeForJson(text: string): string {
  return NOTHING_TO_ESCAPE.test(text) ? text : JSON.stringify(text).slice(1, -1)
}
