/** Events as files: NDJSON, or CSV (RFC 4180) protected against formula injection. */
import type { EventText, ShownFields } from '../../../events/log/log-query.ts'

export interface EventFile {
  readonly contentType: string
  /** Written before the first event; may be empty. */
  readonly head: string
  toText(events: readonly EventText[]): string
}

export const NDJSON_FILE: EventFile = {
  contentType: 'application/x-ndjson; charset=utf-8',
  head: '',
  toText: (events) => events.map((event) => `${event}\n`).join(''),
}

const COLUMNS = [
  'timestamp',
  'type',
  'domain_name',
  'recipient',
  'sender',
  'from',
  'subject',
  'response_code',
  'response_enhanced_code',
  'response_content',
  'bounce_classification',
  'provider_name',
  'peer_name',
  'num_attempts',
  'size',
  'id',
] as const

const LAST_COLUMNS = [
  'direction',
  'campaign',
  'reception_protocol',
  'delivery_protocol',
  'tls_protocol_version',
  'tls_cipher',
  'url',
  'machine',
  'next_attempt',
] as const

const SENDING_COLUMNS = ['sending_address', 'sending_source', 'sending_pool'] as const

/** All 23 fields, those of the extension that are shown, and the time once more in a readable form. */
export function csvFile(serviceMessageIdField: string, shown: ShownFields = 'attempts'): EventFile {
  const sending = shown === 'sending' ? SENDING_COLUMNS : []
  const columns = [...COLUMNS, serviceMessageIdField, ...LAST_COLUMNS, ...sending]
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: toLine(['time', ...columns]),
    toText: (events) => events.map((text) => toCsvLine(text, columns)).join(''),
  }
}

function toCsvLine(text: EventText, columns: readonly string[]): string {
  const event = JSON.parse(text) as Readonly<Record<string, string | number | null>>
  const time = new Date(Number(event['timestamp']) * 1000).toISOString().replace('.000Z', 'Z')
  return toLine([time, ...columns.map((column) => event[column])])
}

export function toLine(cells: readonly (string | number | null | undefined)[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/**
 * Texts that a spreadsheet may execute: https://owasp.org/www-community/attacks/CSV_Injection. Some spreadsheets strip leading
 * white space and quotes, Japanese ones accept the full-width forms of the signs, and in many countries they split at
 * semicolons or tabs, also within quotes: the beginning of each such part is the beginning of a cell. The class of blanks
 * excludes the delimiters, so that each character is examined once.
 */
const FORMULA = /(?<=^|[,;\t\r\n])(?=[["\s\p{Cc}\p{Cf}]--[\t\r\n]]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/gv

function toCell(value: string | number | null | undefined): string {
  if (typeof value !== 'string') return value === null || value === undefined ? '' : String(value)
  const harmless = value.replace(FORMULA, "'")
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
