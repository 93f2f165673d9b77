/**
 * Splits a request body or a file into its records: one JSON object, a JSON array, or NDJSON, recognized by content. Each
 * record is separate, so that a bad one does not keep the others out of the log.
 */
import { isUtf8 } from 'node:buffer'
import { AppError } from '../../lib/app-error.ts'
import { findAfterSpace, findJsonEnd, isJsonSpace, STEP_BYTES, type Steps } from '../../lib/text/json-scan.ts'
import { type RawRecord, SUBJECT } from './raw-record.ts'
import { type Span, toRecords } from './record-batch.ts'

export const RECORDS_MAX = 100_000

/** About a millisecond of the shortest lines. */
const LINES_STEP_BYTES = 32_768
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

export interface FoundRecords {
  readonly records: readonly RawRecord[]
  /** If none of them is JSON, the body is to be refused with `withoutJson`. */
  readonly needsJson: boolean
}

/** Throws AppError `invalid_payload` when the body as a whole is not JSON, `payload_too_large` when it has too many records. */
export function splitRecords(body: Uint8Array): readonly RawRecord[] {
  const { records, needsJson } = runToEnd(findRecords(body))
  if (needsJson && records.every((record) => record.value === undefined)) throw withoutJson(records)
  return records
}

/**
 * Without examining each record, which takes long. Yields about every millisecond, so that other work can run in between.
 * Throws what `splitRecords` throws, except for a body without any JSON.
 */
export function* findRecords(body: Uint8Array): Steps<FoundRecords> {
  const bytes = withoutByteOrderMark(body)
  const start = yield* findAfterSpace(bytes, 0)
  if (start === bytes.length)
    throw new AppError('invalid_payload', 'the body is empty: send a JSON object, a JSON array or NDJSON')
  if (bytes[start] === OPEN_ARRAY)
    return { records: toRecords(bytes, requireRecordCount(yield* findElements(bytes, start))), needsJson: false }
  const lines = yield* findLines(bytes, start)
  const end = yield* findJsonEnd(bytes, start)
  // One value, over several lines or not.
  if ((yield* findAfterSpace(bytes, end)) === bytes.length)
    return { records: toRecords(bytes, [{ start, end }]), needsJson: true }
  return { records: toRecords(bytes, requireRecordCount(lines)), needsJson: true }
}

function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

function* findElements(text: Buffer, start: number): Steps<readonly Span[]> {
  const elements: Span[] = []
  let pausedAt = start
  let at = yield* findAfterSpace(text, start + 1)
  if (text[at] === CLOSE_ARRAY) return yield* requireEnd(text, at + 1, elements)
  while (elements.length <= RECORDS_MAX) {
    if (at - pausedAt > STEP_BYTES) {
      yield
      pausedAt = at
    }
    const end = yield* findJsonEnd(text, at)
    if (end === -1 || end === at) break
    elements.push({ start: at, end })
    at = isJsonSpace(text[end]) ? yield* findAfterSpace(text, end) : end
    if (text[at] === CLOSE_ARRAY) return yield* requireEnd(text, at + 1, elements)
    if (text[at] !== COMMA) break
    at++
    if (isJsonSpace(text[at])) at = yield* findAfterSpace(text, at)
  }
  requireRecordCount(elements)
  throw new AppError(
    'invalid_payload',
    `the body is not valid JSON: the array is incomplete or malformed at character ${countCharacters(text, at) + 1}`,
  )
}

function* requireEnd(text: Buffer, at: number, elements: readonly Span[]): Steps<readonly Span[]> {
  if ((yield* findAfterSpace(text, at)) === text.length) return elements
  throw new AppError(
    'invalid_payload',
    `the body is not valid JSON: unexpected text after the array at character ${countCharacters(text, at) + 1}`,
  )
}

function countCharacters(text: Buffer, end: number): number {
  return isUtf8(text) ? text.toString('utf8', 0, end).length : end
}

/** Lines that are not blank; at most one more than allowed. */
function* findLines(text: Buffer, from: number): Steps<readonly Span[]> {
  const lines: Span[] = []
  let pausedAt = from
  for (let start = from; start < text.length && lines.length <= RECORDS_MAX; ) {
    if (start - pausedAt > LINES_STEP_BYTES) {
      yield
      pausedAt = start
    }
    const feed = text.indexOf(LINE_FEED, start)
    const next = feed === -1 ? text.length : feed
    const line = next - start > LINES_STEP_BYTES ? yield* trimLong(text, start, next) : trimLine(text, start, next)
    if (line.start < line.end) lines.push(line)
    start = next + 1
  }
  return lines
}

function trimLine(text: Buffer, from: number, to: number): Span {
  const start = skipBlanks(text, from, to)
  return { start, end: skipBlanksBefore(text, start, to) }
}

/** The same in steps: it may be megabytes of blanks. */
function* trimLong(text: Buffer, from: number, to: number): Steps<Span> {
  let start = from
  for (let stop = start; start >= stop && start < to; ) {
    stop = Math.min(to, start + LINES_STEP_BYTES)
    start = skipBlanks(text, start, stop)
    yield
  }
  let end = to
  for (let stop = end; end <= stop && end > start; ) {
    stop = Math.max(start, end - LINES_STEP_BYTES)
    end = skipBlanksBefore(text, stop, end)
    yield
  }
  return { start, end }
}

/** Concatenated files may have a byte order mark in the middle. */
function skipBlanks(text: Buffer, from: number, to: number): number {
  let at = from
  while (at < to) {
    if (isBlank(text[at] ?? 0)) at++
    else if (isByteOrderMark(text, at)) at += 3
    else break
  }
  return at
}

function skipBlanksBefore(text: Buffer, from: number, to: number): number {
  let at = to
  while (at > from) {
    if (isBlank(text[at - 1] ?? 0)) at--
    else if (isByteOrderMark(text, at - 3)) at -= 3
    else break
  }
  return at
}

/** Blanks within a line. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d
}

function isByteOrderMark(text: Uint8Array, at: number): boolean {
  return text[at] === 0xef && text[at + 1] === 0xbb && text[at + 2] === 0xbf
}

/** A body without any JSON was sent here by mistake: it is refused as a whole instead of being quarantined line by line. */
export function withoutJson(records: readonly RawRecord[]): AppError {
  const problem = records[0]?.problem ?? `${SUBJECT} is empty`
  const subject = records.length > 1 ? 'nothing in the body is valid JSON: its first line' : 'the body'
  return new AppError('invalid_payload', problem.replace(SUBJECT, subject))
}

function requireRecordCount(spans: readonly Span[]): readonly Span[] {
  if (spans.length > RECORDS_MAX)
    throw new AppError('payload_too_large', `more than ${RECORDS_MAX} records in one request: send several`)
  return spans
}

function withoutByteOrderMark(body: Uint8Array): Buffer {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return bytes.subarray(0, 3).equals(BYTE_ORDER_MARK) ? bytes.subarray(3) : bytes
}
