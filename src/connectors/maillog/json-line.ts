/** Lines of JSON that carry a line of a log: `journalctl -o json`, and the files of Docker's logging driver. */
import { asRecord, asText, type UntrustedRecord } from '../shared/untrusted.ts'
import type { Carrier, LogLine } from './log-line.ts'
import { parseIsoTime } from './log-time.ts'

/** The journal writes a message with unusual bytes as a list of numbers, about four characters each. */
const JSON_LENGTH_MAX = 131_072
/** Far above the limits of Postfix (2000) and Exim (8192). */
const TEXT_LENGTH_MAX = 16_384
/** Of `-o json`, `-o json-seq` (RFC 7464) and `-o json-sse`. */
const STARTS = ['{', '\u001e{', 'data: {']

/** Undefined for anything else. */
export function parseJsonLine(line: string): LogLine | Carrier | undefined {
  const start = STARTS.find((some) => line.startsWith(some))
  if (start === undefined || line.length > JSON_LENGTH_MAX) return undefined
  const entry = parseObject(line.slice(start.length - 1))
  if ('MESSAGE' in entry) return parseJournalEntry(entry)
  const log = asText(entry['log'])
  if (log === undefined) return undefined
  return { time: parseIsoTime(asText(entry['time']) ?? ''), text: log.slice(0, TEXT_LENGTH_MAX).trimEnd() }
}

function parseObject(json: string): UntrustedRecord {
  try {
    return asRecord(JSON.parse(json))
  } catch {
    return {}
  }
}

/** systemd.journal-fields(7), and "JSON export format" of systemd's Journal Export Formats. */
function parseJournalEntry(entry: UntrustedRecord): LogLine | Carrier {
  const time =
    parseMicroseconds(entry['_SOURCE_REALTIME_TIMESTAMP']) ?? parseMicroseconds(entry['__REALTIME_TIMESTAMP'])
  const text = (parseField(entry['MESSAGE']) ?? '').slice(0, TEXT_LENGTH_MAX)
  // From a container, the message is a whole line, and the journal's own fields describe the container.
  if ('CONTAINER_ID' in entry || 'CONTAINER_NAME' in entry) return { time, text }
  return {
    time,
    host: parseField(entry['_HOSTNAME']),
    program: parseField(entry['SYSLOG_IDENTIFIER']) ?? parseField(entry['_COMM']),
    pid: parseField(entry['SYSLOG_PID']) ?? parseField(entry['_PID']) ?? '',
    text,
  }
}

/** A field is a text, a list of bytes, or a list of both if it occurs several times: then the first one counts. */
function parseField(value: unknown): string | undefined {
  if (!Array.isArray(value)) return asText(value)
  if (typeof value[0] !== 'number') return parseField(value[0])
  const bytes = value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte <= 255)
  return bytes ? Buffer.from(value as readonly number[]).toString('utf8') : undefined
}

function parseMicroseconds(value: unknown): number | undefined {
  const text = asText(value)
  return text !== undefined && /^\d{10,17}$/.test(text) ? Math.floor(Number(text) / 1_000_000) : undefined
}
