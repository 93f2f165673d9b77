/**
 * Splits a stream of any length into records, a chunk at a time: NDJSON by its lines, a JSON array by its elements, and JSON
 * texts over several lines (as `jq` prints them) by their braces. Only the incomplete record is held in memory.
 */
import { AppError } from '../../lib/app-error.ts'

export interface SplitRecord {
  readonly bytes: Buffer
  /** Where it starts, from 1. */
  readonly line: number
}

/** Of a request, which a record has to fit. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024

const NEWLINE = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

type Form = 'lines' | 'array' | 'texts'

export class RecordSplitter {
  #form: Form | undefined
  /** Bytes of the record that is not complete yet; before the form is known, the beginning of the stream. */
  #held: Buffer[] = []
  #heldBytes = 0
  #line = 1
  #startLine = 1
  #depth = 0
  #isInString = false
  #isEscaped = false
  #isArrayClosed = false

  /** Throws AppError `payload_too_large` for an endless record, `invalid_payload` for text after an array. */
  push(chunk: Buffer): readonly SplitRecord[] {
    if (this.#form !== undefined) return this.#split(chunk)
    this.#hold(chunk)
    const beginning = Buffer.concat(this.#held)
    this.#form = detectForm(beginning)
    if (this.#form === undefined) return []
    this.#release()
    return this.#split(beginning.subarray(0, 3).equals(BYTE_ORDER_MARK) ? beginning.subarray(3) : beginning)
  }

  /** The record that the end of the stream completes. Throws AppError `invalid_payload` if it ends inside an array. */
  end(): readonly SplitRecord[] {
    if (this.#form === 'array' && !this.#isArrayClosed) {
      throw new AppError('invalid_payload', `the JSON array is incomplete: the file ends at line ${this.#line}`)
    }
    return this.#heldBytes === 0 ? [] : this.#complete(Buffer.alloc(0))
  }

  #split(chunk: Buffer): readonly SplitRecord[] {
    return this.#form === 'lines' ? this.#splitLines(chunk) : this.#splitTexts(chunk)
  }

  #splitLines(chunk: Buffer): readonly SplitRecord[] {
    const records: SplitRecord[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#startLine = this.#line
      records.push(...this.#complete(chunk.subarray(start, end)))
      this.#line++
      start = end + 1
    }
    this.#startLine = this.#line
    this.#hold(chunk.subarray(start))
    return records
  }

  /** Follows strings and braces only; whether a record is JSON shows when it is parsed. */
  #splitTexts(chunk: Buffer): readonly SplitRecord[] {
    const records: SplitRecord[] = []
    const base = this.#form === 'array' ? 1 : 0
    let start = this.#heldBytes > 0 ? 0 : -1
    const finish = (end: number) => {
      if (start !== -1) records.push(...this.#complete(chunk.subarray(start, end)))
      start = -1
    }
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (byte === NEWLINE) this.#line++
      if (this.#isInString) {
        this.#followString(byte)
        continue
      }
      if (isSpace(byte)) {
        // Stray text between two texts ends with its line.
        if (base === 0 && this.#depth === 0 && byte === NEWLINE) finish(at)
        continue
      }
      if (this.#isArrayClosed)
        throw new AppError('invalid_payload', `something follows the JSON array at line ${this.#line}`)
      const isBetween = this.#depth === base
      if (this.#form === 'array' && (this.#depth === 0 || (isBetween && (byte === COMMA || byte === CLOSE_ARRAY)))) {
        finish(at)
        if (byte === OPEN_ARRAY) this.#depth = 1
        else if (byte === CLOSE_ARRAY) this.#isArrayClosed = true
        continue
      }
      if (start === -1) {
        start = at
        this.#startLine = this.#line
      }
      if (byte === QUOTE) this.#isInString = true
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth = Math.max(this.#depth - 1, base)
        if (base === 0 && this.#depth === 0) finish(at + 1)
      }
    }
    if (start !== -1) this.#hold(chunk.subarray(start))
    return records
  }

  #followString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > RECORD_BYTES_MAX) {
      throw new AppError('payload_too_large', `the record at line ${this.#startLine} is longer than 16 MiB`)
    }
  }

  #release(): void {
    this.#held = []
    this.#heldBytes = 0
  }

  /** The held bytes and these are one record, unless they are blank. */
  #complete(rest: Buffer): readonly SplitRecord[] {
    const bytes = trimSpace(this.#heldBytes === 0 ? rest : Buffer.concat([...this.#held, rest]))
    this.#release()
    return bytes.length === 0 ? [] : [{ bytes, line: this.#startLine }]
  }
}

/** Undefined while too little has arrived. A lone `{` on the first line is not NDJSON, but a text over several lines. */
function detectForm(beginning: Buffer): Form | undefined {
  let at = beginning.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0
  while (isSpace(beginning[at])) at++
  const first = beginning[at]
  if (first === undefined || (first === BYTE_ORDER_MARK[0] && beginning.length < 3)) return undefined
  if (first === OPEN_ARRAY) return 'array'
  if (first !== OPEN_OBJECT) return 'lines'
  const newline = beginning.indexOf(NEWLINE, at)
  const rest = beginning.subarray(at + 1, newline === -1 ? beginning.length : newline)
  if (trimSpace(rest).length > 0) return 'lines'
  return newline === -1 ? undefined : 'texts'
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09
}

function trimSpace(bytes: Buffer): Buffer {
  let start = 0
  let end = bytes.length
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  return bytes.subarray(start, end)
}
