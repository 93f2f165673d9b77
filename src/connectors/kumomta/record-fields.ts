/** Fields common to KumoMTA's records. Malformed values are passed on, for the event's own check to reject. */
import type { EventType } from '../../events/event.ts'
import { asRecord, asText, asTexts, type UntrustedRecord } from '../shared/untrusted.ts'

/** The identity of the message, and its properties from policy and headers. */
export function messageFields(record: UntrustedRecord, type: EventType): UntrustedRecord {
  const meta = asRecord(record['meta'])
  // Meta and headers of a report describe the report itself.
  const isReport = type === 'OOBBounce' || type === 'Feedback'
  return {
    id: isReport ? record['id'] : messageId(record, meta),
    from: isReport ? undefined : findText(record, 'from'),
    subject: isReport ? undefined : findText(record, 'subject'),
    service_message_id: isReport ? undefined : findHeader(record, /^x-[a-z0-9]+-message-id$/i),
    campaign: isReport ? undefined : (asText(meta['campaign']) ?? campaignOfQueue(record)),
    direction: 'outbound',
  }
}

/**
 * A message that is transferred to another node gets a new id there. The id that our policy helper stores travels with
 * it; without the helper, `xfer_prior_id` has the id on the previous node, if it is logged.
 */
function messageId(record: UntrustedRecord, meta: UntrustedRecord): unknown {
  return asText(meta['x_envelog_id']) ?? asText(meta['xfer_prior_id']) ?? record['id']
}

const HEADER_NAMES = { from: /^from$/i, subject: /^subject$/i } as const

/** From our policy helper's meta value, from KumoMTA's own (import_x_headers), or from the logged header. */
function findText(record: UntrustedRecord, name: keyof typeof HEADER_NAMES): string | undefined {
  const meta = asRecord(record['meta'])
  return asText(meta[`x_envelog_${name}`]) ?? asText(meta[name]) ?? findHeader(record, HEADER_NAMES[name])
}

/** The first matching header, if the logger is configured to log it. */
function findHeader(record: UntrustedRecord, name: RegExp): string | undefined {
  const headers = asRecord(record['headers'])
  for (const candidate of Object.keys(headers)) if (name.test(candidate)) return asText(asTexts(headers[candidate])[0])
  return undefined
}

/** Queues are named `campaign:tenant@domain`, unless the policy names them otherwise. */
function campaignOfQueue(record: UntrustedRecord): string | undefined {
  return /^([^:@]+):[^:@]*@[^@]+$/.exec(asText(record['queue']) ?? '')?.[1]
}

export interface KumoResponse {
  readonly code: unknown
  readonly content: unknown
  /** Dotted; empty if the reply had none. */
  readonly enhancedCode: string
}

export function readResponse(value: unknown): KumoResponse {
  const { code, content, enhanced_code: enhanced } = asRecord(value)
  const { class: status, subject, detail } = asRecord(enhanced)
  const numbers = [status, subject, detail]
  return { code, content, enhancedCode: numbers.every(Number.isSafeInteger) ? numbers.join('.') : '' }
}

/** `event_time` is the same time with more precision; custom templates may contain only that. */
export function readTimestamp(record: UntrustedRecord): unknown {
  const { timestamp, event_time: exact } = record
  if (timestamp !== undefined || typeof exact !== 'string') return timestamp
  const timeMs = Date.parse(exact)
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000)
}

/** Records about an attempt. Expiration and AdminBounce are not: no attempt ends with them. */
const ATTEMPTS: readonly string[] = ['Delivery', 'TransientFailure', 'Bounce']

/** KumoMTA writes the record of an attempt before it counts it (queue.rs: `increment_num_attempts` follows the record). */
export function readAttempts({ num_attempts: count }: UntrustedRecord, kind: string): unknown {
  return ATTEMPTS.includes(kind) && Number.isSafeInteger(count) ? Number(count) + 1 : count
}

/** Names from MX records have a trailing dot. */
export function hostName(value: unknown): string | undefined {
  const name = asText(value)
  return name?.endsWith('.') ? asText(name.slice(0, -1)) : name
}
