/** An event as a row of the peer's table: written as a line of COPY, read back from the columns of a result. */
import type { EmailEvent, EventField } from '../../src/events/event.ts'

/** Field of the interface by column, in the order in which they are written and read. */
const FIELD_OF_COLUMN = {
  timestamp: 'timestamp',
  type: 'type',
  size: 'size',
  num_attempts: 'num_attempts',
  response_code: 'response_code',
  id: 'id',
  recipient: 'recipient',
  sender: 'sender',
  header_from: 'from',
  subject: 'subject',
  response_content: 'response_content',
  response_enhanced_code: 'response_enhanced_code',
  provider_name: 'provider_name',
  peer_name: 'peer_name',
  bounce_classification: 'bounce_classification',
  service_message_id: 'service_message_id',
  direction: 'direction',
  campaign: 'campaign',
  reception_protocol: 'reception_protocol',
  delivery_protocol: 'delivery_protocol',
  tls_protocol_version: 'tls_protocol_version',
  tls_cipher: 'tls_cipher',
} as const satisfies Record<string, EventField>

const FIELDS = Object.values(FIELD_OF_COLUMN)
const NUMBERS: ReadonlySet<EventField> = new Set(['timestamp', 'size', 'num_attempts', 'response_code'])

export const EVENT_COLUMNS = Object.keys(FIELD_OF_COLUMN).join(', ')
export const COPY_COLUMNS = `arrival, domain_id, ${EVENT_COLUMNS}`

/** One line of COPY in its text format. */
export function toCopyLine(event: EmailEvent, domainId: number, arrival: number): string {
  let line = `${arrival}\t${domainId}`
  for (const field of FIELDS) {
    const value = event[field]
    line += value === undefined || value === null ? '\t\\N' : `\t${escapeCopy(String(value))}`
  }
  return `${line}\n`
}

const COPY_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeCopy(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/[\\\t\n\r]/g, (character) => COPY_ESCAPES[character] ?? '') : text
}

/** The values are texts, in the order of EVENT_COLUMNS. */
export function fromColumns(values: readonly (string | null)[], domainName: string): EmailEvent {
  const event: Record<string, unknown> = { domain_name: domainName }
  for (const [index, field] of FIELDS.entries()) {
    const value = values[index] ?? null
    // Generated events have a campaign or null; other absent fields are left out.
    if (value === null && field !== 'campaign') continue
    event[field] = value !== null && NUMBERS.has(field) ? Number(value) : value
  }
  return event as unknown as EmailEvent
}
