/** An event in the shape of the day file's two tables, ready to be bound to statements. */
import { createHash } from 'node:crypto'
import { type EmailEvent, EVENT_TYPES, type EventField } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/event-store.ts'
import { isPlainAscii } from '../../../lib/case-folding.ts'
import { type Day, dayOfTimestamp, startOfDay } from './day.ts'

export interface EventRow {
  readonly day: Day
  readonly secondOfDay: number
  readonly domain: number
  readonly type: number
  readonly responseCode: number | null
  readonly own: string
  /** 16 bytes as latin1 text: strings cross to the writer's thread faster than small buffers. */
  readonly key: string
  readonly provider: string
  readonly classification: string
  readonly id: string
  readonly recipient: string
  readonly sender: string | null
  readonly from: string | null
  readonly subject: string | null
  readonly serviceMessageId: string | null
  readonly rest: string
  readonly plain: number
  readonly identity: number
}

/** Fields kept with the message and not searchable. The order is part of the identity: append only. */
const REST_FIELDS = ['size', 'direction', 'campaign', 'reception_protocol'] as const satisfies EventField[]

/** Fields kept with the event. The order is part of the key: append only. */
const OWN_FIELDS = [
  'response_content',
  'response_enhanced_code',
  'provider_name',
  'peer_name',
  'bounce_classification',
  'num_attempts',
  'delivery_protocol',
  'tls_protocol_version',
  'tls_cipher',
] as const satisfies EventField[]

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, index) => [type, index]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? -1
}

export function toEventRow({ domainNumber, event }: AttributedEvent): EventRow {
  const day = dayOfTimestamp(event.timestamp)
  const secondOfDay = event.timestamp - startOfDay(day)
  const type = typeNumber(event.type)
  const responseCode = event.response_code ?? null
  const own = toMembers(event, OWN_FIELDS)
  const rest = toMembers(event, REST_FIELDS)
  const texts = [event.recipient, event.sender ?? null, event.from ?? null, event.subject ?? null] as const
  const serviceMessageId = event.service_message_id ?? null
  return {
    day,
    secondOfDay,
    domain: domainNumber,
    type,
    responseCode,
    own,
    key: digest(`${secondOfDay} ${type} ${responseCode} ${own}`).toString('latin1', 0, 16),
    provider: event.provider_name ?? '',
    classification: event.bounce_classification ?? '',
    id: event.id,
    recipient: texts[0],
    sender: texts[1],
    from: texts[2],
    subject: texts[3],
    serviceMessageId,
    rest,
    plain: texts.every(isPlain) ? 1 : 0,
    identity: digest(JSON.stringify([...texts, serviceMessageId, rest])).readUIntBE(0, 6),
  }
}

/** Lower-casing A to Z folds it, and it holds no NUL, which the search index treats apart. */
function isPlain(text: string | null): boolean {
  return text === null || (isPlainAscii(text) && !text.includes('\0'))
}

/** `,"a":1,"b":"x"` for the fields that are present, in the order given. */
function toMembers(event: EmailEvent, fields: readonly EventField[]): string {
  let members = ''
  for (const field of fields) {
    const value = event[field]
    if (value !== undefined) members += `,"${field}":${JSON.stringify(value)}`
  }
  return members
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
