/** The columns of an accounting file, as named by its header line, and the values of a record by these names. */
import type { UntrustedRecord } from '../shared/untrusted.ts'

/** The values of one record. */
export interface AccountingRecord {
  /** By column name in lower case; undefined if there is no such column. */
  get(column: string): string | undefined
}

/** The positions of the columns, the same for all records below a header line. */
export class Columns {
  readonly count: number
  readonly #positions: ReadonlyMap<string, number>

  constructor(names: readonly string[]) {
    this.count = names.length
    this.#positions = new Map(names.map((name, position) => [columnName(name), position]))
  }

  toRecord(values: readonly string[]): AccountingRecord {
    return {
      get: (column) => {
        const position = this.#positions.get(column)
        return position === undefined ? undefined : values[position]
      },
    }
  }
}

/** A record in JSON has the names of the columns; a value that is not known may be null. */
export function recordOf(object: UntrustedRecord): AccountingRecord {
  const values = new Map(Object.entries(object).map(([name, value]) => [columnName(name), textOfValue(value)]))
  return { get: (column) => values.get(column) }
}

/** Lists and objects are not values of any column that is read. */
function textOfValue(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** Undefined for an empty value, which means unknown. */
export function textOf(record: AccountingRecord, column: string): string | undefined {
  return record.get(column)?.trim() || undefined
}

/** The column of the header `X-<service>-Message-Id`, for any service name. */
export const SERVICE_MESSAGE_ID = 'service_message_id'

/** Spelling varies: `envId`, `envid`. Some programs write `#type`. */
function columnName(name: string): string {
  // A byte order mark is white space.
  const column = name.trim().toLowerCase().replace(/^#/, '')
  return /^header_x-[a-z0-9]+-message-id$/.test(column) ? SERVICE_MESSAGE_ID : column
}
