/**
 * Cuts a request body or a file into its records: one JSON object, a JSON array, or NDJSON, told apart by content.
 * Each record is parsed on its own, so that one bad record never costs the others their place in the log.
 */
import { AppError } from '../lib/app-error.ts'
import { type ScannedValue, scanJsonValue, skipJsonSpace } from '../lib/json-scan.ts'
import { trimCharacters } from '../lib/trim-characters.ts'

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

/** Whom a problem speaks of. */
const SUBJECT = 'the record'

/** `scanned`: what is known of the slice already. */
type ParseSlice = (slice: string, scanned?: ScannedValue) => RawRecord

/** Throws AppError `invalid_payload` when the body as a whole is no JSON, `payload_too_large` when it has too many records. */
export function splitRecords(body: Uint8Array): readonly RawRecord[] {
  const bytes = withoutByteOrderMark(body)
  const text = decodeUtf8(bytes)
  if (text !== undefined) return splitText(text, parseRecord)
  // One character per byte: JSON is held together by ASCII, so that the records are found all the same.
  return splitText(bytes.toString('latin1'), (slice) => parseBytes(Buffer.from(slice, 'latin1')))
}

function splitText(text: string, parse: ParseSlice): readonly RawRecord[] {
  const start = skipJsonSpace(text, 0)
  if (start === text.length)
    throw new AppError('invalid_payload', 'the body is empty: send a JSON object, a JSON array or NDJSON')
  if (text[start] === '[') return splitArray(text, start, parse)
  const { end } = scanJsonValue(text, start)
  if (end !== -1 && skipJsonSpace(text, end) === text.length) return requireJson([parse(text.slice(start, end))])
  return splitLines(text.slice(start), parse)
}

function splitArray(text: string, start: number, parse: ParseSlice): readonly RawRecord[] {
  const records: RawRecord[] = []
  let at = skipJsonSpace(text, start + 1)
  if (text[at] === ']') return requireEnd(text, at + 1, records)
  while (at < text.length) {
    const scanned = scanJsonValue(text, at)
    const { end } = scanned
    if (end === -1 || end === at) break
    records.push(parse(text.slice(at, end), scanned))
    requireRecordCount(records.length)
    at = skipJsonSpace(text, end)
    if (text[at] === ']') return requireEnd(text, at + 1, records)
    if (text[at] !== ',') break
    at = skipJsonSpace(text, at + 1)
  }
  throw new AppError(
    'invalid_payload',
    `the body is not valid JSON: the array breaks off at character ${Math.min(at, text.length) + 1}`,
  )
}

function requireEnd(text: string, at: number, records: readonly RawRecord[]): readonly RawRecord[] {
  if (skipJsonSpace(text, at) === text.length) return records
  throw new AppError(
    'invalid_payload',
    `the body is not valid JSON: something follows the array at character ${at + 1}`,
  )
}

function splitLines(text: string, parse: ParseSlice): readonly RawRecord[] {
  const records: RawRecord[] = []
  for (const line of text.split('\n')) {
    // Files that were put together may have a byte order mark in their midst.
    const record = trimCharacters(line, '\ufeff \t\r')
    if (record !== '') records.push(parse(record))
    requireRecordCount(records.length)
  }
  return requireJson(records)
}

/** A body in which nothing is JSON was not meant for us: better refused whole than quarantined line by line. */
function requireJson(records: readonly RawRecord[]): readonly RawRecord[] {
  if (records.some((record) => record.value !== undefined)) return records
  const problem = records[0]?.problem ?? `${SUBJECT} is empty`
  const subject = records.length > 1 ? 'nothing in the body is valid JSON: its first line' : 'the body'
  throw new AppError('invalid_payload', problem.replace(SUBJECT, subject))
}

function requireRecordCount(count: number): void {
  if (count > RECORDS_MAX)
    throw new AppError('payload_too_large', `more than ${RECORDS_MAX} records in one request: send several`)
}

export function parseRecord(text: string, scanned: ScannedValue = scanJsonValue(text, 0)): RawRecord {
  if (text.length > RECORD_LENGTH_MAX)
    return new TextRecord(text, null, `${SUBJECT} is longer than ${RECORD_LENGTH_MAX} characters`)
  if (scanned.depth > DEPTH_MAX)
    return new TextRecord(text, null, `${SUBJECT} is nested more than ${DEPTH_MAX} levels deep`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return new TextRecord(text, undefined, `${SUBJECT} is not valid JSON at character ${findBreak(text, error) + 1}`)
  }
  const { duplicateName } = scanned
  if (duplicateName === undefined) return new TextRecord(text, value)
  return new TextRecord(text, value, `the name ${JSON.stringify(duplicateName)} occurs twice`)
}

/** Hardly any record is rejected, so its bytes are made when they are asked for. */
class TextRecord implements RawRecord {
  readonly value: unknown
  readonly problem?: string
  readonly #text: string

  constructor(text: string, value: unknown, problem?: string) {
    this.#text = text
    this.value = value
    if (problem !== undefined) this.problem = problem
  }

  get payload(): Uint8Array {
    return Buffer.from(this.#text)
  }
}

const TOKEN = /[ \t\n\r]*([[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+)/y
const VALUE = /^(?:["[{]|-?\d|(?:true|false|null)$)/

/** Where JSON.parse stopped. It tells in its message, except when what stands in the place of a value is none. */
function findBreak(text: string, error: unknown): number {
  const message = String(error)
  const told = /at position (\d+)/.exec(message)?.[1]
  if (told !== undefined) return Number(told)
  if (message.includes('end of JSON')) return text.length
  let before = ','
  TOKEN.lastIndex = 0
  for (;;) {
    const start = skipJsonSpace(text, TOKEN.lastIndex)
    const token = TOKEN.exec(text)?.[1]
    if (token === undefined) return start
    const isEmptyList = before === '[' && token === ']'
    if (',:['.includes(before) && !isEmptyList && !VALUE.test(token)) return start
    before = token
  }
}

/** A record that is JSON in all but its encoding is one: it is kept, whereas a body without any JSON is refused. */
function parseBytes(payload: Buffer): RawRecord {
  const text = decodeUtf8(payload)
  if (text !== undefined) return parseRecord(text)
  const { value } = parseRecord(payload.toString('latin1'))
  return { payload, value, problem: `${SUBJECT} is not valid UTF-8` }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff')

function withoutByteOrderMark(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes
}
