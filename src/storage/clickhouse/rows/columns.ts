/**
 * The columns of all tables, once: definitions, inserts and their bytes follow from this.
 *
 * Events have columns for what is searched and counted by, and for texts that differ nearly every time. The other fields are in `details`,
 * and in `circumstance` and `mailing`, which are ready to be served and repeat: reading a column takes time whatever is in it.
 * See docs/decisions/0048 and 0070.
 */
import type { TableName } from '../server/clickhouse.ts'
import { isNew } from '../server/features.ts'
import { type EventRow, foldedText, NO_CODE } from './event-row.ts'
import type { RowWriter } from './row-writer.ts'

export interface Column<Row> {
  readonly name: string
  readonly type: string
  /** Instead of `type`, and how it is compressed, where the server has it. */
  readonly modernType?: string
  readonly modernCodec: string
  readonly write: (writer: RowWriter, row: Row) => void
}

export interface NumberedEvent {
  readonly row: EventRow
  readonly arrival: number
}

/** `batch`: the same text for all rows of a batch. ClickHouse drops a block that it has seen, and equal counts are not the same batch. */
export interface HourRow {
  readonly domain: number
  /** Since 1970. */
  readonly hour: number
  readonly type: number
  /** Empty if the events have none. */
  readonly provider: string
  readonly classification: string
  /** Negative in corrections. */
  readonly n: number
  readonly batch: string
}

export interface SendingRow extends Omit<HourRow, 'classification'> {
  /** origin-text.ts; empty for all origins beyond the limit. */
  readonly origin: string
}

export interface ChangeRow {
  readonly domain: number
  readonly changedAtMs: number
}

const ZSTD = 'ZSTD(1)'
/** Sorted, or nearly so. */
const DELTA = 'Delta, ZSTD(1)'

function text<Row>(name: string, value: (row: Row) => string): Column<Row> {
  return { name, type: 'String', modernCodec: ZSTD, write: (writer, row) => writer.text(value(row)) }
}

/** For texts of which a part of the table has few. */
function repeated<Row>(name: string, value: (row: Row) => string): Column<Row> {
  return { ...text(name, value), modernType: 'LowCardinality(String)' }
}

function number<Row>(
  name: string,
  type: 'UInt8' | 'UInt16' | 'UInt32' | 'UInt64' | 'Int64',
  value: (row: Row) => number,
  modernCodec = ZSTD,
): Column<Row> {
  const method = ({ UInt8: 'uint8', UInt16: 'uint16', UInt32: 'uint32', UInt64: 'uint64', Int64: 'int64' } as const)[
    type
  ]
  return { name, type, modernCodec, write: (writer, row) => writer[method](value(row)) }
}

const EVENT: readonly Column<NumberedEvent>[] = [
  number('domain', 'UInt32', ({ row }) => row.domain, DELTA),
  number('timestamp', 'UInt32', ({ row }) => row.event.timestamp, DELTA),
  number('arrival', 'UInt64', ({ arrival }) => arrival, DELTA),
  { name: 'key', type: 'UInt64', modernCodec: 'NONE', write: (writer, { row }) => writer.bigUint64(row.key) },
  number('type', 'UInt8', ({ row }) => row.type),
  number('response_code', 'UInt16', ({ row }) => row.event.response_code ?? NO_CODE),
  text('id', ({ row }) => row.event.id),
  text('recipient', ({ row }) => row.event.recipient),
  text('sender', ({ row }) => row.event.sender ?? ''),
  repeated('header_from', ({ row }) => row.event.from ?? ''),
  text('subject', ({ row }) => row.event.subject ?? ''),
  text('recipient_folded', ({ row }) => foldedText(row.event.recipient)),
  text('sender_folded', ({ row }) => foldedText(row.event.sender)),
  repeated('header_from_folded', ({ row }) => foldedText(row.event.from)),
  text('subject_folded', ({ row }) => foldedText(row.event.subject)),
  repeated('provider', ({ row }) => row.event.provider_name ?? ''),
  repeated('classification', ({ row }) => row.event.bounce_classification ?? ''),
  text('response_content', ({ row }) => row.event.response_content ?? ''),
  text('details', ({ row }) => row.details),
  repeated('origin', ({ row }) => row.origin),
  repeated('circumstance', ({ row }) => row.circumstance),
  repeated('mailing', ({ row }) => row.mailing),
]

const EVENT_HOUR: readonly Column<HourRow>[] = [
  number('domain', 'UInt32', ({ domain }) => domain),
  number('hour', 'UInt32', ({ hour }) => hour),
  number('type', 'UInt8', ({ type }) => type),
  text('provider', ({ provider }) => provider),
  text('classification', ({ classification }) => classification),
  number('n', 'Int64', ({ n }) => n),
  text('batch', ({ batch }) => batch),
]

const SENDING_HOUR: readonly Column<SendingRow>[] = [
  number('domain', 'UInt32', ({ domain }) => domain),
  number('hour', 'UInt32', ({ hour }) => hour),
  text('origin', ({ origin }) => origin),
  number('type', 'UInt8', ({ type }) => type),
  text('provider', ({ provider }) => provider),
  number('n', 'Int64', ({ n }) => n),
  text('batch', ({ batch }) => batch),
]

const DOMAIN_CHANGE: readonly Column<ChangeRow>[] = [
  number('domain', 'UInt32', ({ domain }) => domain),
  number('changed_at_ms', 'UInt64', ({ changedAtMs }) => changedAtMs),
]

export const COLUMNS = {
  event: EVENT,
  event_hour: EVENT_HOUR,
  sending_hour: SENDING_HOUR,
  domain_change: DOMAIN_CHANGE,
} as const satisfies Record<TableName, unknown>

/** As in CREATE TABLE: `domain UInt32, timestamp UInt32 CODEC(Delta, ZSTD(1)), …`. */
export function defineColumns(table: TableName, version: readonly [number, number]): string {
  // Compression by column and LowCardinality are there and sound.
  const isModern = isNew(version)
  const columns: readonly Column<never>[] = COLUMNS[table]
  return columns
    .map(({ name, type, modernType = type, modernCodec }) =>
      isModern ? `${name} ${modernType} CODEC(${modernCodec})` : `${name} ${type}`,
    )
    .join(',\n  ')
}

/** What precedes the bytes of an insert. `target`: the table's name in the statement. */
export function insertStatement(table: TableName, target: string): string {
  const columns: readonly Column<never>[] = COLUMNS[table]
  return `INSERT INTO ${target} (${columns.map(({ name }) => name).join(', ')}) FORMAT RowBinary`
}
