/**
 * Records that follow each other in a body, parsed together when the first of them is asked for.
 *
 * Nearly always nothing is wrong with any of them, and that can be told without a look at each character: JSON.parse has
 * accepted all, and the text has as many quotes as the values account for, so that it holds no name twice. Where this
 * cannot be told, each record is looked at by itself.
 */
import { isUtf8 } from 'node:buffer'
import { tallyJson } from '../lib/json-tally.ts'
import { DEPTH_MAX, type ParsedRecord, parseRecordBytes, type RawRecord } from './raw-record.ts'

/** As many as are dealt with in one turn. */
const BATCH_RECORDS = 32
/** Longer records are looked at by themselves. */
const BATCH_BYTES_MAX = 262_144
/** Deep nesting takes JSON.parse ten times as long. Events have a bracket in some hundred bytes. */
const BYTES_PER_BRACKET = 24

/** Where a record lies in a body: its first byte and the one behind its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

export function toRecords(body: Buffer, spans: readonly Span[]): readonly RawRecord[] {
  const records: RawRecord[] = []
  for (let at = 0; at < spans.length; at += BATCH_RECORDS) {
    const batch = new RecordBatch(body, spans.slice(at, at + BATCH_RECORDS))
    for (const [index, span] of batch.spans.entries()) records.push(new BatchRecord(batch, index, span))
  }
  return records
}

class RecordBatch {
  readonly body: Buffer
  readonly spans: readonly Span[]
  #parsed: readonly ParsedRecord[] | undefined

  constructor(body: Buffer, spans: readonly Span[]) {
    this.body = body
    this.spans = spans
  }

  parse(index: number): ParsedRecord | undefined {
    this.#parsed ??=
      parseFlawless(this.body, this.spans) ??
      this.spans.map(({ start, end }) => parseRecordBytes(this.body.subarray(start, end)))
    return this.#parsed[index]
  }
}

class BatchRecord implements RawRecord {
  readonly #batch: RecordBatch
  readonly #index: number
  readonly #span: Span

  constructor(batch: RecordBatch, index: number, span: Span) {
    this.#batch = batch
    this.#index = index
    this.#span = span
  }

  get value(): unknown {
    return this.#batch.parse(this.#index)?.value
  }

  get problem(): string | undefined {
    return this.#batch.parse(this.#index)?.problem
  }

  /** A copy: it is kept for longer than the body. */
  get payload(): Uint8Array {
    return new Uint8Array(this.#batch.body.subarray(this.#span.start, this.#span.end))
  }
}

/** Undefined where something may be wrong with one of them. */
function parseFlawless(body: Buffer, spans: readonly Span[]): readonly ParsedRecord[] | undefined {
  const text = body.subarray(spans[0]?.start, spans.at(-1)?.end)
  if (text.length > BATCH_BYTES_MAX || !isUtf8(text)) return undefined
  const { quotes, brackets } = tallyJson(text)
  if (brackets > spans.length + text.length / BYTES_PER_BRACKET) return undefined
  const parsed: ParsedRecord[] = []
  let accountedQuotes = 0
  try {
    for (const { start, end } of spans) {
      const value: unknown = JSON.parse(body.toString('utf8', start, end))
      accountedQuotes += quotesOf(value, 1)
      parsed.push({ value })
    }
  } catch {
    return undefined
  }
  return accountedQuotes === quotes ? parsed : undefined
}

/** Quotes in the text of a value that has no name twice; not a number when it is nested too deep. */
function quotesOf(value: unknown, depth: number): number {
  if (typeof value === 'string') return 2
  if (typeof value !== 'object' || value === null) return 0
  if (depth > DEPTH_MAX) return Number.NaN
  let quotes = 0
  if (Array.isArray(value)) {
    for (const item of value) quotes += quotesOf(item, depth + 1)
    return quotes
  }
  const members = value as Record<string, unknown>
  // What JSON.parse makes inherits nothing that would be listed.
  for (const name in members) {
    const member = members[name]
    if (typeof member === 'string') quotes += 4
    else quotes += 2 + quotesOf(member, depth + 1)
  }
  return quotes
}
