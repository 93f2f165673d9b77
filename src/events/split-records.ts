/**
 * Cuts a request body or a file into its records: one JSON object, a JSON array, or NDJSON, told apart by content.
 * Each record is parsed on its own, so that one bad record never costs the others their place in the log.
 */
import { AppError } from '../lib/app-error.ts'
import { scanJsonValue, skipJsonSpace } from '../lib/json-scan.ts'

export interface RawRecord {
  /** The record as it came, for the quarantine. */
  readonly payload: Uint8Array
  /** The parsed JSON; meaningless when there is a problem. */
  readonly value: unknown
  readonly problem?: string
}

export const RECORDS_MAX = 100_000
const DEPTH_MAX = 16
const RECORD_LENGTH_MAX = 1_048_576

/** Throws AppError `invalid_payload` when the body as a whole is no JSON, `payload_too_large` when it has too many records. */
export function splitRecords(body: Uint8Array): readonly RawRecord[] {
  const text = decodeUtf8(body)
  if (text === undefined) return parseLines(splitLines(body))
  const start = skipJsonSpace(text, text.charCodeAt(0) === 0xfeff ? 1 : 0)
  if (start === text.length)
    throw new AppError('invalid_payload', 'the body is empty: send a JSON object, a JSON array or NDJSON')
  if (text[start] === '[') return splitArray(text, start)
  const { end } = scanJsonValue(text, start)
  if (end !== -1 && skipJsonSpace(text, end) === text.length) return requireJson([parseRecord(text.slice(start, end))])
  return parseLines(text.slice(start).split('\n'))
}

function splitArray(text: string, start: number): readonly RawRecord[] {
  const records: RawRecord[] = []
  let at = skipJsonSpace(text, start + 1)
  if (text[at] === ']') return requireEnd(text, at + 1, records)
  while (at < text.length) {
    const { end } = scanJsonValue(text, at)
    if (end === -1 || end === at) break
    records.push(parseRecord(text.slice(at, end)))
    requireRecordCount(records.length)
    at = skipJsonSpace(text, end)
    if (text[at] === ']') return requireEnd(text, at + 1, records)
    if (text[at] !== ',') break
    at = skipJsonSpace(text, at + 1)
  }
  throw new AppError(
    'invalid_payload',
    `the body is not valid JSON: the array breaks off at character ${Math.min(at, text.length)}`,
  )
}

function requireEnd(text: string, at: number, records: readonly RawRecord[]): readonly RawRecord[] {
  if (skipJsonSpace(text, at) === text.length) return records
  throw new AppError('invalid_payload', `the body is not valid JSON: something follows the array at character ${at}`)
}

/** A line is a string, or bytes where they are not UTF-8. */
function parseLines(lines: readonly (string | Uint8Array)[]): readonly RawRecord[] {
  const records: RawRecord[] = []
  for (const line of lines) {
    if (typeof line !== 'string') records.push({ payload: line, value: undefined, problem: 'is not valid UTF-8' })
    else if (line.trim() !== '') records.push(parseRecord(line.trim()))
    requireRecordCount(records.length)
  }
  return requireJson(records)
}

/** A body in which nothing is JSON was not meant for us: better refused whole than quarantined line by line. */
function requireJson(records: readonly RawRecord[]): readonly RawRecord[] {
  if (records.some((record) => record.value !== undefined)) return records
  throw new AppError('invalid_payload', `the body is not valid JSON: ${records[0]?.problem ?? 'it is empty'}`)
}

function requireRecordCount(count: number): void {
  if (count > RECORDS_MAX)
    throw new AppError('payload_too_large', `more than ${RECORDS_MAX} records in one request: send several`)
}

export function parseRecord(text: string): RawRecord {
  const payload = Buffer.from(text)
  if (text.length > RECORD_LENGTH_MAX)
    return { payload, value: null, problem: `is longer than ${RECORD_LENGTH_MAX} characters` }
  const scanned = scanJsonValue(text, 0)
  if (scanned.depth > DEPTH_MAX)
    return { payload, value: null, problem: `is nested more than ${DEPTH_MAX} levels deep` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { payload, value: undefined, problem: 'is not valid JSON' }
  }
  if (scanned.duplicateName === undefined) return { payload, value }
  return { payload, value, problem: `the name ${JSON.stringify(scanned.duplicateName)} occurs twice` }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** Lines of a body that is not UTF-8 as a whole: those that are keep their chance. */
function splitLines(body: Uint8Array): (string | Uint8Array)[] {
  const lines: (string | Uint8Array)[] = []
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline === -1 ? bytes.length : newline
    const line = bytes.subarray(start, end)
    if (line.length > 0) lines.push(decodeUtf8(line) ?? line)
    start = end + 1
  }
  return lines
}
