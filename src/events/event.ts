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
 * What sources report beyond the 23 fields of the interface. Kept with the event, outside its identity: the same event with and
 * without them is one event. See docs/decisions/0014 and 0042.
 */
export interface EventExtension {
  /** Where a click led. Only our own tracking endpoints set it. */
  readonly url?: string
  /** The kind of machine that opened or clicked; absent if it may have been a person. Only our own tracking endpoints set it. */
  readonly machine?: string
  /** The IP address that the message was sent from, in its canonical form. */
  readonly sending_address?: string
  /** What the mail server calls the origin: KumoMTA's egress source, PowerMTA's virtual MTA, Postfix's instance or transport. */
  readonly sending_source?: string
  /** The group of origins that the source belongs to: KumoMTA's egress pool, PowerMTA's pool. */
  readonly sending_pool?: string
  /** When the mail server will try again, in Unix seconds. */
  readonly next_attempt?: number
}

/** What the origins beyond a limit are called in counts. No source or pool has this name. */
export const OTHER_ORIGINS = '(other)'

export function isEventType(value: unknown): value is EventType {
  return (EVENT_TYPES as readonly unknown[]).includes(value)
}
