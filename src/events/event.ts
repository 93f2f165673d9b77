/**
 * One thing that happened to one message, in the vocabulary of the log.
 *
 * The field names are those of the interface (section 2.1), here and in every store: an event is written once as JSON
 * text and served as that text, so there is no second vocabulary to translate into. See docs/decisions/0002.
 */

export const EVENT_TYPES = [
  'Reception',
  'Delivery',
  'Opened',
  'Click',
  'TransientFailure',
  'Delayed',
  'Bounce',
  'OOBBounce',
  'Feedback',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export interface EmailEvent {
  /** The message's id, shared by all of its events. */
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly type: EventType
  readonly domain_name: string
  readonly recipient: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
  readonly response_code?: number
  readonly response_content?: string
  readonly response_enhanced_code?: string
  readonly provider_name?: string
  readonly peer_name?: string
  readonly bounce_classification?: string
  readonly num_attempts?: number
  readonly size?: number
  /** Carries the operator's brand on the wire (`ENVELOG_BRAND`); inside it always has this name. */
  readonly service_message_id?: string
  readonly direction?: string
  readonly campaign?: string | null
  readonly reception_protocol?: string
  readonly delivery_protocol?: string
  readonly tls_protocol_version?: string
  readonly tls_cipher?: string
}

export type EventField = keyof EmailEvent

/**
 * Fields of our own tracking endpoints beyond the 23 of the interface. Shown with the event, after its fields; no other event
 * has them, and ingest does not accept them. See docs/decisions/0014.
 */
export interface EventExtension {
  /** Where a click led. */
  readonly url?: string
  /** The kind of machine that opened or clicked; absent if it may have been a person. */
  readonly machine?: string
}

export function isEventType(value: unknown): value is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(value)
}
