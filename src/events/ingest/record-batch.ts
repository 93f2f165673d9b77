/**
 * The records of a body, parsed in batches when they are needed. Only the last batch is kept: the others have been processed
 * by then, and a body that waits to be stored should not take its memory twice.
 *
 * Nearly always all records are valid, which can be established without examining each character: JSON.parse accepts all of
 * them, and the text has as many quotes as the values account for, so that no name occurs twice. Where this fails, each record
 * is examined separately.
 */
import { isUtf8 } from 'node:buffer'
import { tallyJson } from '../../lib/text/json-tally.ts'
import { DEPTH_MAX, NAMES_MAX, type ParsedRecord, parseRecordBytes, type RawRecord } from './raw-record.ts'

/** Records that are processed in one turn. */
const BATCH_RECORDS = 32
/** Longer batches are parsed record by record. */
const BATCH_BYTES_MAX = 262_144
/** Deep nesting takes JSON.parse ten times as long. Events have about one bracket per hundred bytes. */
const BYTES_PER_BRACKET = 24

/** The position of a record in a body: its first byte and the one after its last. */
export interface Span {
  readonly start: number
  readonly end: number
}

export function toRecords(body: Buffer, spans: readonly Span[]): readonly RawRecord[] {
  const source = openSource(body, spans)
  return spans.map((_, index) => new BodyRecord(source, index))
}

type RecordSource = ReturnType<typeof openSource>

function openSource(body: Buffer, spans: readonly Span[]) {
  /** Of the first record in `batch`. */
  let batchStart = 0
  let batch: readonly ParsedRecord[] = []
  return {
    lengthOf,
    bytesOf,
    parse(index: number): ParsedRecord | undefined {
      if (index < batchStart || index >= batchStart + batch.length) parseBatchOf(index)
      return batch[index - batchStart]
    },
  }

  function lengthOf(index: number): number {
    return (spans[index]?.end ?? 0) - (spans[index]?.start ?? 0)
  }

  function bytesOf(index: number): Buffer {
    return body.subarray(spans[index]?.start, spans[index]?.end)
  }

  function parseBatchOf(index: number): void {
    batchStart = index - (index % BATCH_RECORDS)
    const part = spans.slice(batchStart, batchStart + BATCH_RECORDS)
    const isLong = (part.at(-1)?.end ?? 0) - (part[0]?.start ?? 0) > BATCH_BYTES_MAX
    if (isLong) {
      // One by one, so that other work can run in between.
      batchStart = index
      batch = [parseRecordBytes(bytesOf(index))]
      return
    }
    batch = parseFlawless(body, part) ?? part.map(({ start, end }) => parseRecordBytes(body.subarray(start, end)))
  }
}

class BodyRecord implements RawRecord {
  readonly #source: RecordSource
  readonly #index: number

  constructor(source: RecordSource, index: number) {
    this.#source = source
    this.#index = index
  }

  get length(): number {
    return this.#source.lengthOf(this.#index)
  }

  get value(): unknown {
    return this.#source.parse(this.#index)?.value
  }

  get problem(): string | undefined {
    return this.#source.parse(this.#index)?.problem
  }

  /** A copy: it is kept for longer than the body. */
  get payload(): Uint8Array {
    return new Uint8Array(this.#source.bytesOf(this.#index))
  }
}

/** Undefined if something may be wrong with one of them. */
function parseFlawless(body: Buffer, spans: readonly Span[]): readonly ParsedRecord[] | undefined {
  const text = body.subarray(spans[0]?.start, spans.at(-1)?.end)
  if (!isUtf8(text)) return undefined
  const { quotes, brackets } = tallyJson(text)
  if (brackets > spans.length + text.length / BYTES_PER_BRACKET) return undefined
  const parsed: ParsedRecord[] = []
  let accountedQuotes = 0
  try {
    for (const { start, end } of spans) {
      const value: unknown = JSON.parse(body.toString('utf8', start, end))
      const recordQuotes = quotesOf(value, 1)
      if (recordQuotes > 2 * NAMES_MAX) return undefined
      accountedQuotes += recordQuotes
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
  // Values of JSON.parse inherit nothing enumerable.
  for (const name in members) {
    const member = members[name]
    if (typeof member === 'string') quotes += 4
    else quotes += 2 + quotesOf(member, depth + 1)
  }
  return quotes
}
