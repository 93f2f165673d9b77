/** The tables of control data that both databases have, under the same names. */

/** In an order in which they can be filled: rows refer to rows of tables before. */
export const CONTROL_TABLES = [
  'tenant',
  'api_key',
  'domain',
  'quarantine_use',
  'audit_size',
  'secret_generation',
  'key_session',
  'saved_view',
  'removal',
  'retention',
  'total',
  'folded_day',
  'quarantine',
  'audit',
] as const

export type ControlTable = (typeof CONTROL_TABLES)[number]

/** Tables that may be large. A row with the same values of these columns is the same row. */
export const LARGE_TABLES: Readonly<Partial<Record<ControlTable, readonly string[]>>> = {
  quarantine: ['id', 'times', 'rejected_at_ms'],
  audit: ['id', 'last_time_ms', 'count'],
}

/** The column that PostgreSQL numbers by itself; numbers are never used again. */
export const NUMBERED: Readonly<Partial<Record<ControlTable, string>>> = {
  domain: 'number',
  quarantine: 'id',
  audit: 'id',
}
