/** Parts that KumoMTA's records have in common, in our terms. What is malformed is passed on for the event's own check to refuse. */
import type { EventType } from '../../events/event.ts'
import { asRecord, asText, asTexts, type UntrustedRecord } from '../untrusted.ts'

/** Which message it is, and what its policy or its headers tell about it. */
export function messageFields(record: UntrustedRecord, type: EventType): UntrustedRecord {
  const meta = asRecord(record['meta'])
  // Meta and headers of a report are those of the report.
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
 * A message that is transferred to another node gets a new id there. The id that our policy helper notes down goes with
 * it; without the helper there is still the id on the node before, where `xfer_prior_id` is logged.
 */
function messageId(record: UntrustedRecord, meta: UntrustedRecord): unknown {
  return asText(meta['x_envelog_id']) ?? asText(meta['xfer_prior_id']) ?? record['id']
}

const HEADER_NAMES = { from: /^from$/i, subject: /^subject$/i } as const

/** From the meta value of our policy helper, of KumoMTA's own way to keep headers (import_x_headers), or the header itself. */
function findText(record: UntrustedRecord, name: keyof typeof HEADER_NAMES): string | undefined {
  const meta = asRecord(record['meta'])
  return asText(meta[`x_envelog_${name}`]) ?? asText(meta[name]) ?? findHeader(record, HEADER_NAMES[name])
}

/** The first of its kind, where the logger was told to log it. */
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
  /** Dotted; empty where the answer had none. */
  readonly enhancedCode: string
}

export function readResponse(value: unknown): KumoResponse {
  const { code, content, enhanced_code: enhanced } = asRecord(value)
  const { class: status, subject, detail } = asRecord(enhanced)
  const numbers = [status, subject, detail]
  return { code, content, enhancedCode: numbers.every(Number.isSafeInteger) ? numbers.join('.') : '' }
}

/** `event_time` has the same time more exactly; records of an own template may have kept only that. */
export function readTimestamp(record: UntrustedRecord): unknown {
  const { timestamp, event_time: exact } = record
  if (timestamp !== undefined || typeof exact !== 'string') return timestamp
  const timeMs = Date.parse(exact)
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000)
}

/** Names from MX records are written with their final dot. */
export function hostName(value: unknown): string | undefined {
  const name = asText(value)
  return name?.endsWith('.') ? asText(name.slice(0, -1)) : name
}
