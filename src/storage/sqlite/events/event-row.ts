/** An event in the shape of the day file's tables, ready to be bound to statements. */
import { hash } from 'node:crypto'
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/event-store.ts'
import { isPlainAscii } from '../../../lib/case-folding.ts'
import { type Day, dayOfTimestamp, startOfDay } from './day.ts'

export interface EventRow {
  readonly day: Day
  readonly secondOfDay: number
  readonly domain: number
  readonly type: number
  readonly responseCode: number | null
  readonly content: string | null
  /** Fields that many events share word for word, as JSON members. */
  readonly circumstance: string
  /** 16 bytes, a character each: strings cross to the writer's thread faster than small buffers. */
  readonly key: string
  readonly provider: string
  readonly classification: string
  readonly id: string
  readonly recipient: string
  readonly sender: string | null
  readonly from: string | null
  readonly subject: string | null
  readonly serviceMessageId: string | null
  readonly size: number | null
  /** Fields that the messages of one mailing share besides From, as JSON members. */
  readonly mailing: string
  readonly plain: number
  readonly identity: number
}

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, index) => [type, index]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? -1
}

export function toEventRow({ domainNumber, event }: AttributedEvent): EventRow {
  const day = dayOfTimestamp(event.timestamp)
  const secondOfDay = event.timestamp - startOfDay(day)
  const type = typeNumber(event.type)
  const responseCode = event.response_code ?? null
  const circumstance = circumstanceMembers(event)
  const mailing = mailingMembers(event)
  const { id, recipient, sender = null, from = null, subject = null, size = null } = event
  const { response_content: content = null, service_message_id: serviceMessageId = null } = event
  return {
    day,
    secondOfDay,
    domain: domainNumber,
    type,
    responseCode,
    content,
    circumstance,
    key: digest(`${secondOfDay} ${type} ${responseCode} ${mark(content)}${circumstance}`).slice(0, 16),
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
    plain: isPlain(recipient) && isPlain(sender) && isPlain(from) && isPlain(subject) ? 1 : 0,
    // Need not be proof against tricks: rows with the same number are compared field by field.
    identity: toNumber(digest(`${recipient}\n${sender}\n${from}\n${subject}\n${serviceMessageId}\n${size}${mailing}`)),
  }
}

/** The length makes clear where the text ends, whatever it holds. */
function mark(text: string | null): string {
  return text === null ? '-' : `${text.length} ${text}`
}

/** The order of the fields is part of the event's key: fields may be added at the end, never moved. */
function circumstanceMembers(event: EmailEvent): string {
  return toMembers({
    response_enhanced_code: event.response_enhanced_code,
    provider_name: event.provider_name,
    peer_name: event.peer_name,
    bounce_classification: event.bounce_classification,
    num_attempts: event.num_attempts,
    delivery_protocol: event.delivery_protocol,
    tls_protocol_version: event.tls_protocol_version,
    tls_cipher: event.tls_cipher,
  })
}

/** The order of the fields is part of the message's identity, as above. */
function mailingMembers(event: EmailEvent): string {
  return toMembers({
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

/** Lower-casing A to Z folds it, and it holds no NUL, which the search index treats apart. */
function isPlain(text: string | null): boolean {
  return text === null || (isPlainAscii(text) && !text.includes('\0'))
}

/** 32 bytes, a character each. */
function digest(text: string): string {
  return hash('sha256', text, 'binary')
}

/** The first 48 bits, which a JavaScript number holds exactly. */
function toNumber(bytes: string): number {
  let number = 0
  for (let at = 0; at < 6; at++) number = number * 256 + bytes.charCodeAt(at)
  return number
}
