/** Opens and clicks, as recorded by the tracking endpoints (src/tracking/hit.ts). */

import type { EventType } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'
import { AppError } from '../../lib/app-error.ts'
import { asText, isRecord } from '../shared/untrusted.ts'

const EVENT_TYPES: Readonly<Record<string, EventType>> = { open: 'Opened', click: 'Click' }

/** We write no longer URLs or machine names. */
const TEXT_LENGTH_MAX = 16_384

export const tracking: Connector = { name: 'tracking', toEvents }

function toEvents(record: unknown): readonly ToldEvent[] {
  if (!isRecord(record)) throw new AppError('invalid_payload', 'a hit must be a JSON object')
  const hit = asText(record['hit'])
  const type = hit !== undefined && Object.hasOwn(EVENT_TYPES, hit) ? EVENT_TYPES[hit] : undefined
  if (type === undefined) throw new AppError('invalid_payload', 'hit: must be open or click')
  const domain = asText(record['domain'])
  if (domain === undefined) throw new AppError('invalid_payload', 'domain: is required')
  const { id, recipient, time } = record
  const [url, machine] = [requireShort(record['url'], 'url'), requireShort(record['machine'], 'machine')]
  return [
    {
      event: { type, id, recipient, timestamp: time, direction: 'outbound' },
      extension: { ...(type === 'Click' && url !== undefined && { url }), ...(machine !== undefined && { machine }) },
      // The domain of a From header may be a subdomain of the tenant's.
      senderDomains: [domain],
    },
  ]
}

function requireShort(value: unknown, name: string): string | undefined {
  const text = asText(value)
  if (text === undefined) return undefined
  if (text.length > TEXT_LENGTH_MAX) throw new AppError('invalid_payload', `${name}: is too long`)
  if (!text.isWellFormed()) throw new AppError('invalid_payload', `${name}: contains an unpaired surrogate`)
  return text
}
