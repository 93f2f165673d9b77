/** The values of a record of the accounting file, by the name of their column in small letters. */

export type AccountingRecord = ReadonlyMap<string, string>

/** Values that are not known are empty. */
export function textOf(record: AccountingRecord, column: string): string | undefined {
  const value = record.get(column)?.trim()
  return value === '' ? undefined : value
}

/** They are written differently in different places: `envId`, `envid`. */
export function columnName(name: string): string {
  return name
    .replace(/^\ufeff/, '')
    .trim()
    .toLowerCase()
}
