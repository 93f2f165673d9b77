/** Rows as the bytes of an insert: the same bytes for the same rows. */
import { type ChangeRow, COLUMNS, type Column, type HourRow, type NumberedEvent, type SendingRow } from './columns.ts'
import type { EventRow } from './event-row.ts'
import { RowWriter } from './row-writer.ts'

/** The arrival numbers follow each other, in the order of the rows. */
export function encodeEvents(rows: readonly EventRow[], firstArrival: number): Uint8Array {
  return encode<NumberedEvent>(
    COLUMNS.event,
    rows.map((row, index) => ({ row, arrival: firstArrival + index })),
  )
}

export function encodeHours(rows: readonly HourRow[]): Uint8Array {
  return encode(COLUMNS.event_hour, rows)
}

export function encodeSending(rows: readonly SendingRow[]): Uint8Array {
  return encode(COLUMNS.sending_hour, rows)
}

export function encodeChanges(rows: readonly ChangeRow[]): Uint8Array {
  return encode(COLUMNS.domain_change, rows)
}

function encode<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Uint8Array {
  const writer = new RowWriter()
  for (const row of rows) for (const { write } of columns) write(writer, row)
  return writer.finish()
}
