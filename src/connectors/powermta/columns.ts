/** The columns of the accounting file, which its header line names. */

/** The values of one record. */
export interface AccountingRecord {
  /** By the name of the column in small letters; undefined where there is no such column. */
  get(column: string): string | undefined
}

/** The places of the columns, once for all records below a header line. */
export class Columns {
  readonly count: number
  readonly #places: ReadonlyMap<string, number>

  constructor(names: readonly string[]) {
    this.count = names.length
    this.#places = new Map(names.map((name, place) => [columnName(name), place]))
  }

  toRecord(values: readonly string[]): AccountingRecord {
    return {
      get: (column) => {
        const place = this.#places.get(column)
        return place === undefined ? undefined : values[place]
      },
    }
  }
}

/** Values that are not known are empty. */
export function textOf(record: AccountingRecord, column: string): string | undefined {
  const value = record.get(column)?.trim()
  return value === '' ? undefined : value
}

/** The header `X-<service>-Message-Id`, whatever the service is called. */
export const SERVICE_MESSAGE_ID = 'service_message_id'

/** They are written differently in different places: `envId`, `envid`. */
function columnName(name: string): string {
  const column = name
    .replace(/^\ufeff/, '')
    .trim()
    .toLowerCase()
  return /^header_x-[a-z0-9]+-message-id$/.test(column) ? SERVICE_MESSAGE_ID : column
}
