/**
 * Splits a stream of any length into records, a chunk at a time: NDJSON by its lines, a JSON array by its elements, and JSON
 * texts over several lines (as `jq` prints them) by their braces. Only the incomplete record is held in memory.
 */
import { AppError } from '../../lib/app-error.ts'
import { isJsonSpace, scanJsonValue, skipJsonSpace } from '../../lib/text/json-scan.ts'

export interface SplitRecord {
  readonly bytes: Buffer
  /** Where it starts, from 1. */
  readonly line: number
}

/** The limit of a request, which a record has to fit into. */
const RECORD_BYTES_MAX = 16 * 1024 * 1024
const RESCANNED_BYTES_MAX = 16 * 1024

const NEWLINE = 0x0a
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const BYTE_ORDER_MARK = Buffer.from('\ufeff')
const BRACKETS = Buffer.from('[]{}')

type Form = 'lines' | 'texts' | 'array' | 'after array'

export class RecordSplitter {
  #form: Form | undefined
  #held: Buffer = Buffer.alloc(0)
  /** Offsets in the held bytes: the start of the next record, and the first line end after it. */
  #at = 0
  #newline = -1
  #line = 1
  /** Chunks after the held bytes. */
  #waiting: Buffer[] = []
  #waitingBytes = 0

  /** Throws AppError `payload_too_large` for an endless record, `invalid_payload` for text after an array. */
  push(chunk: Buffer): readonly SplitRecord[] {
    this.#waiting.push(chunk)
    this.#waitingBytes += chunk.length
    const rest = this.#held.length - this.#at
    // A long record is scanned again when it has doubled: with every chunk, the work would grow with the square of its length.
    const isLong = rest > RESCANNED_BYTES_MAX && rest + this.#waitingBytes <= RECORD_BYTES_MAX
    return isLong && this.#waitingBytes < rest ? [] : this.#split()
  }

  #split(): readonly SplitRecord[] {
    this.#held = Buffer.concat([this.#held.subarray(this.#at), ...this.#waiting])
    this.#waiting = []
    this.#waitingBytes = 0
    this.#at = 0
    this.#newline = this.#held.indexOf(NEWLINE)
    this.#form ??= this.#detectForm()
    const records: SplitRecord[] = []
    for (let end = this.#findEnd(); end !== -1; end = this.#findEnd()) {
      records.push({ bytes: this.#until(end), line: this.#line })
      this.#moveTo(end)
    }
    if (this.#held.length - this.#at > RECORD_BYTES_MAX) {
      throw new AppError('payload_too_large', `the record at line ${this.#line} is longer than 16 MiB`)
    }
    return records
  }

  /** The rest, with the record that the end of the stream completes. Throws AppError `invalid_payload` inside an array. */
  end(): readonly SplitRecord[] {
    const records = this.#split()
    this.#moveTo(skipJsonSpace(this.#held, this.#at))
    const record = { bytes: this.#until(this.#held.length), line: this.#line }
    this.#moveTo(this.#held.length)
    if (this.#form !== 'array') return record.bytes.length === 0 ? records : [...records, record]
    throw new AppError('invalid_payload', `the JSON array is incomplete: the file ends at line ${this.#line}`)
  }

  /** Moves to the next record. Its end, or -1 while it is incomplete. */
  #findEnd(): number {
    if (this.#form === undefined) return -1
    this.#skipSeparators()
    return this.#form === 'lines' ? this.#newline : findEnd(this.#held, this.#at, this.#form)
  }

  /** White space and, in an array, commas and its end. */
  #skipSeparators(): void {
    this.#moveTo(skipJsonSpace(this.#held, this.#at))
    for (let byte = this.#held[this.#at]; this.#form === 'array'; byte = this.#held[this.#at]) {
      if (byte !== COMMA && byte !== CLOSE_ARRAY) return
      if (byte === CLOSE_ARRAY) this.#form = 'after array'
      this.#moveTo(skipJsonSpace(this.#held, this.#at + 1))
    }
    if (this.#form === 'after array' && this.#at < this.#held.length)
      throw new AppError('invalid_payload', `unexpected text after the JSON array at line ${this.#line}`)
  }

  #moveTo(at: number): void {
    for (; this.#newline !== -1 && this.#newline < at; this.#line++) {
      this.#newline = this.#held.indexOf(NEWLINE, this.#newline + 1)
    }
    this.#at = at
  }

  /** The bytes up to `end`, without trailing white space. */
  #until(end: number): Buffer {
    let last = end
    while (last > this.#at && isJsonSpace(this.#held[last - 1])) last--
    return this.#held.subarray(this.#at, last)
  }

  /** Undefined while too little has arrived. A lone `{` on the first line is not NDJSON, but a text over several lines. */
  #detectForm(): Form | undefined {
    const hasMark = this.#held.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    const start = skipJsonSpace(this.#held, hasMark ? BYTE_ORDER_MARK.length : 0)
    const first = this.#held[start]
    if (first === undefined || (first === BYTE_ORDER_MARK[0] && this.#held.length < 3)) return undefined
    const next = skipJsonSpace(this.#held, start + 1)
    this.#moveTo(first === OPEN_ARRAY ? next : start)
    if (first === OPEN_ARRAY) return 'array'
    if (first !== OPEN_OBJECT) return 'lines'
    if (this.#newline !== -1) return this.#newline < next ? 'texts' : 'lines'
    return next < this.#held.length ? 'lines' : undefined
  }
}

/** Follows strings and brackets only; whether a record is valid JSON is found out when it is parsed. */
function findEnd(bytes: Buffer, start: number, form: Form): number {
  for (let at = start; at < bytes.length; ) {
    const first = bytes[at] ?? 0
    // Stray text between two texts ends with its line.
    const isEnd = form === 'array' ? first === COMMA || first === CLOSE_ARRAY : first === NEWLINE
    if (isEnd) return at
    const { end } = scanJsonValue(bytes, at, 0)
    if (end === -1) return -1
    at = Math.max(end, at + 1)
    if (form === 'texts' && BRACKETS.includes(first)) return at
  }
  return -1
}
