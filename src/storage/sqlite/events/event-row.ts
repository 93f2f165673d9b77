/** An event in the shape of the day file's tables, ready to be bound to statements. */
import { hash } from 'node:crypto'
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/event-store.ts'
import { Recent } from '../../../lib/recent.ts'
import { type Day, dayOfTimestamp, secondOfDay } from './day.ts'

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
/** SQLite ends some texts at a NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII_WITHOUT_NUL = /^[\x01-\x7f]*$/

/** Numbers that the lower half of an identity can have. */
const DETAILS = 2 ** 24

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, index) => [type, index]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? -1
}

export function toEventRow({ domainNumber, event, extension }: AttributedEvent): EventRow {
  const second = secondOfDay(event.timestamp)
  const type = typeNumber(event.type)
  const responseCode = event.response_code ?? null
  const circumstance = extension ? toCircumstance(event, extension) : findCircumstance(event, type)
  const { mailing, plain, identity } = findMessageRow(event)
  const { id, recipient, sender = null, from = null, subject = null, size = null } = event
  const { response_content: content = null, service_message_id: serviceMessageId = null } = event
  return {
    day: dayOfTimestamp(event.timestamp),
    secondOfDay: second,
    domain: domainNumber,
    type,
    responseCode,
    content: content === null ? null : escapeForJson(content),
    circumstance,
    key: bitsOf(`${second} ${type} ${responseCode} ${content}${circumstance}`) >>> 1,
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
    plain,
    identity,
  }
}

/** What is worked out from the fields of a message, which all of its events have. */
interface MessageRow {
  readonly event: EmailEvent
  readonly mailing: string
  readonly plain: Plain
  readonly identity: number
}

/** By id. The events of a message follow each other closely; hashing and looking at its texts is half of the work. */
const messages = new Recent<MessageRow>(2000)

function findMessageRow(event: EmailEvent): MessageRow {
  const known = messages.find(event.id)
  if (known && isSameMessage(known.event, event)) return known
  const row = toMessageRow(event)
  messages.keep(event.id, row)
  return row
}

function isSameMessage(a: EmailEvent, b: EmailEvent): boolean {
  return (
    a.recipient === b.recipient &&
    a.sender === b.sender &&
    a.subject === b.subject &&
    a.service_message_id === b.service_message_id &&
    a.size === b.size &&
    isSameMailing(a, b)
  )
}

function toMessageRow(event: EmailEvent): MessageRow {
  const {
    id,
    recipient,
    sender = null,
    subject = null,
    size = null,
    service_message_id: serviceMessageId = null,
  } = event
  const mailing = findMailing(event)
  const details = `${recipient}\n${sender}\n${subject}\n${serviceMessageId}\n${size}${mailing}`
  const plain = plainness(`${id}${recipient}${sender}${subject}${serviceMessageId}`, event.from ?? '')
  return { event, mailing, plain, identity: identityOf(id, details) }
}

interface KnownMembers {
  readonly event: EmailEvent
  readonly members: string
}

/** By From. */
const mailings = new Recent<KnownMembers>(5000)

function findMailing(event: EmailEvent): string {
  const key = event.from ?? ''
  const known = mailings.find(key)
  if (known && isSameMailing(known.event, event)) return known.members
  const members = toMailing(event)
  mailings.keep(key, { event, members })
  return members
}

function isSameMailing(a: EmailEvent, b: EmailEvent): boolean {
  return (
    a.from === b.from &&
    a.direction === b.direction &&
    a.campaign === b.campaign &&
    a.reception_protocol === b.reception_protocol
  )
}

/** By type, then by the server that was spoken to: what else it says of an event hardly ever changes. */
const circumstances = EVENT_TYPES.map(() => new Recent<KnownMembers>(2000))

function findCircumstance(event: EmailEvent, type: number): string {
  const key = event.peer_name ?? ''
  const known = circumstances[type]?.find(key)
  if (known && isSameCircumstance(known.event, event)) return known.members
  const members = toCircumstance(event)
  circumstances[type]?.keep(key, { event, members })
  return members
}

function isSameCircumstance(a: EmailEvent, b: EmailEvent): boolean {
  return (
    a.response_enhanced_code === b.response_enhanced_code &&
    a.provider_name === b.provider_name &&
    a.peer_name === b.peer_name &&
    a.bounce_classification === b.bounce_classification &&
    a.num_attempts === b.num_attempts &&
    a.delivery_protocol === b.delivery_protocol &&
    a.tls_protocol_version === b.tls_protocol_version &&
    a.tls_cipher === b.tls_cipher
  )
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
function toCircumstance(event: EmailEvent, extension: EventExtension = {}): string {
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
function toMailing(event: EmailEvent): string {
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
  if (!ASCII_WITHOUT_NUL.test(from)) return 0
  if (NOTHING_TO_ESCAPE.test(texts)) return 2
  return ASCII_WITHOUT_NUL.test(texts) ? 1 : 0
}

function escapeForJson(text: string): string {
  return NOTHING_TO_ESCAPE.test(text) ? text : JSON.stringify(text).slice(1, -1)
}
