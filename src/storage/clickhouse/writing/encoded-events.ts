/** Events as bytes of an insert before they have numbers: the numbers are written into the bytes once they are known. */
import { COLUMNS } from '../rows/columns.ts'
import type { EventRow } from '../rows/event-row.ts'
import { RowWriter } from '../rows/row-writer.ts'

/** Domain and timestamp come before the number, each with four bytes. */
const TIMESTAMP_AT = 4
const ARRIVAL_AT = 8
const TWO_32 = 2 ** 32

/** Rows that were encoded together: row n has the bytes from starts[n] to starts[n + 1]. */
export interface EncodedChunk {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
}

/** The events of a batch. */
export interface EncodedEvents {
  readonly bytes: Uint8Array
  /** Bytes of each row. */
  readonly lengths: Uint32Array
}

export function encodeChunk(rows: readonly EventRow[]): EncodedChunk {
  const writer = new RowWriter()
  const starts = new Uint32Array(rows.length + 1)
  for (const [index, row] of rows.entries()) {
    const numbered = { row, arrival: 0 }
    for (const { write } of COLUMNS.event) write(writer, numbered)
    starts[index + 1] = writer.length
  }
  // A copy: what the writer has reserved beyond the rows would wait with them.
  return { bytes: new Uint8Array(writer.finish()), starts }
}

/** Some rows of some chunks, in this order. */
export function joinRows(rows: readonly { readonly chunk: EncodedChunk; readonly place: number }[]): EncodedEvents {
  const lengths = Uint32Array.from(rows, ({ chunk, place }) => lengthOf(chunk, place))
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const { chunk, place } of rows) {
    const row = chunk.bytes.subarray(chunk.starts[place], chunk.starts[place + 1])
    bytes.set(row, at)
    at += row.length
  }
  return { bytes, lengths }
}

export function lengthOf({ starts }: EncodedChunk, place: number): number {
  return (starts[place + 1] ?? 0) - (starts[place] ?? 0)
}

/** Gives the events the numbers from `first` on, in place. */
export function numberEvents({ bytes, lengths }: EncodedEvents, first: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  for (const [index, length] of lengths.entries()) {
    view.setUint32(at + ARRIVAL_AT, (first + index) % TWO_32, true)
    view.setUint32(at + ARRIVAL_AT + 4, Math.floor((first + index) / TWO_32), true)
    at += length
  }
}

/** Domains and times of the events: where they are found. */
export interface EventBounds {
  readonly domains: ReadonlySet<number>
  readonly from: number
  readonly to: number
}

export function boundsOf({ bytes, lengths }: EncodedEvents): EventBounds {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const domains = new Set<number>()
  let [from, to, at] = [TWO_32, 0, 0]
  for (const length of lengths) {
    domains.add(view.getUint32(at, true))
    const timestamp = view.getUint32(at + TIMESTAMP_AT, true)
    from = Math.min(from, timestamp)
    to = Math.max(to, timestamp)
    at += length
  }
  return { domains, from, to }
}
