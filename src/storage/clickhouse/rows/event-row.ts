/** An event in the shape of ClickHouse's table, without its arrival number, which is given out last. */
import { type EmailEvent, EVENT_TYPES } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import { findCircumstance, findMailing } from '../../rows/event-members.ts'
import { toOriginText } from '../../rows/origin-text.ts'
import { writeDetails } from './event-details.ts'
import { eventKey } from './event-key.ts'

export interface EventRow {
  readonly domain: number
  readonly event: EmailEvent
  readonly key: bigint
  /** Place in EVENT_TYPES. */
  readonly type: number
  /** event-details.ts */
  readonly details: string
  /** As JSON members, each with a comma before it: what many events of any domain share, and what those of a mailing share. */
  readonly circumstance: string
  readonly mailing: string
  /** origin-text.ts; empty if it is not known. */
  readonly origin: string
}

/** Tells absent fields from empty ones. */
export const PRESENT = { sender: 1, subject: 2, response_content: 4, service_message_id: 8, size: 16 } as const
/** In place of an absent response code; codes have three digits. */
export const NO_CODE = 65_535

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, number) => [type, number]))

export function typeNumber(type: EmailEvent['type']): number {
  return TYPE_NUMBERS.get(type) ?? 255
}

export function toEventRow({ domainNumber, event, extension }: AttributedEvent): EventRow {
  const type = typeNumber(event.type)
  const circumstance = findCircumstance(event, extension)
  const mailing = findMailing(event)
  const next = extension?.next_attempt
  return {
    domain: domainNumber,
    event,
    key: eventKey(domainNumber, type, event, circumstance, mailing),
    type,
    details: writeDetails({
      type,
      code: event.response_code,
      present: presentOf(event),
      size: event.size ?? 0,
      retryAfter: next === undefined ? 0 : Math.max(0, next - event.timestamp) + 1,
      serviceMessageId: event.service_message_id ?? '',
    }),
    circumstance,
    mailing,
    origin: extension ? toOriginText(extension) : '',
  }
}

function presentOf(event: EmailEvent): number {
  return (
    (event.sender === undefined ? 0 : PRESENT.sender) |
    (event.subject === undefined ? 0 : PRESENT.subject) |
    (event.response_content === undefined ? 0 : PRESENT.response_content) |
    (event.service_message_id === undefined ? 0 : PRESENT.service_message_id) |
    (event.size === undefined ? 0 : PRESENT.size)
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/

/** The text with letter case folded, where that is more than replacing A to Z: otherwise empty, and the server does it. */
export function foldedText(text: string | undefined): string {
  if (text === undefined || ASCII.test(text)) return ''
  const folded = foldCase(text)
  return folded === text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) ? '' : folded
}
