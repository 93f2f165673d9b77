/** An event in the shape of the day file's tables, ready to be bound to statements. */
import type { EmailEvent } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { Recent } from '../../../lib/recent.ts'
import { findCircumstance, findMailing } from '../../rows/event-members.ts'
import { toOriginText } from '../../rows/origin-text.ts'
import { type Day, dayOfTimestamp, secondOfDay } from '../days/day.ts'
import { hashBits, identityOf } from '../days/message-identity.ts'
import { typeNumber } from '../days/stored-codes.ts'

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
  /** Finds the event among those of its message. */
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
  /** origin-text.ts; empty if it is not known. */
  readonly origin: string
  /** Seconds from the event to the next attempt. */
  readonly retryAfter: number | null
}

/** Texts of a message: 0: any; 1: ASCII, where lower() folds letter case; 2: and JSON has nothing to escape. */
type Plain = 0 | 1 | 2

/** JSON writes these characters as they are. */
const NOTHING_TO_ESCAPE = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/
/** SQLite ends some texts at a NUL. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII_WITHOUT_NUL = /^[\x01-\x7f]*$/

export function toEventRow({ domainNumber, event, extension }: AttributedEvent): EventRow {
  const second = secondOfDay(event.timestamp)
  const type = typeNumber(event.type)
  const responseCode = event.response_code ?? null
  const circumstance = findCircumstance(event, extension)
  const mailing = findMailing(event)
  const { plain, identity } = findMessage(event, mailing)
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
    key: eventKey(second, type, responseCode, content, circumstance),
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
    origin: extension ? toOriginText(extension) : '',
    retryAfter: extension?.next_attempt === undefined ? null : Math.max(0, extension.next_attempt - event.timestamp),
  }
}

/** 31 bits of a hash over what an event does not share with its message. `content` is not escaped. */
export function eventKey(
  second: number,
  type: number,
  responseCode: number | null,
  content: string | null,
  circumstance: string,
): number {
  return hashBits(`${second} ${type} ${responseCode} ${content}${circumstance}`) >>> 1
}

type KnownMessage = ReturnType<typeof toMessage>

const MESSAGES_KNOWN_MAX = 500

/** By id. The events of a message follow each other closely; hashing and examining its texts is half of the work. */
const messages = new Recent<KnownMessage>(MESSAGES_KNOWN_MAX)

function findMessage(event: EmailEvent, mailing: string): KnownMessage {
  const known = messages.find(event.id)
  if (known && known.mailing === mailing && isSameMessage(known, event)) return known
  const message = toMessage(event, mailing)
  messages.keep(event.id, message)
  return message
}

function isSameMessage(a: KnownMessage, b: EmailEvent): boolean {
  return (
    a.recipient === b.recipient &&
    a.sender === b.sender &&
    a.subject === b.subject &&
    a.service_message_id === b.service_message_id &&
    a.size === b.size
  )
}

/** The fields that the events of a message share, and what is derived from them. */
function toMessage({ id, recipient, sender, from, subject, service_message_id, size }: EmailEvent, mailing: string) {
  const texts = `${recipient}\n${sender ?? null}\n${subject ?? null}\n${service_message_id ?? null}`
  return {
    recipient,
    sender,
    subject,
    service_message_id,
    size,
    mailing,
    plain: plainness(`${id}${recipient}${sender}${subject}${service_message_id}`, from ?? ''),
    identity: identityOf(id, `${texts}\n${size ?? null}${mailing}`),
  }
}

function plainness(texts: string, from: string): Plain {
  if (!ASCII_WITHOUT_NUL.test(from)) return 0
  if (NOTHING_TO_ESCAPE.test(texts)) return 2
  return ASCII_WITHOUT_NUL.test(texts) ? 1 : 0
}

function escapeForJson(text: string): string {
  return NOTHING_TO_ESCAPE.test(text) ? text : JSON.stringify(text).slice(1, -1)
}
