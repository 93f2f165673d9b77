/**
 * Copies the control data: tenants, keys, saved views, domains, quarantine, audit log, secrets, removals, the state of retention and the
 * counts of removed days. Everything in one transaction, so that PostgreSQL has one moment of it.
 */

import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { Postgres, SqlValue, Statements } from '../postgres/database/postgres.ts'
import type { Database } from '../sqlite/database/database.ts'
import { CONTROL_TABLES, type ControlTable, LARGE_TABLES, NUMBERED } from './control-tables.ts'

type Values = readonly (null | number | string | Uint8Array)[]

/** In one statement: PostgreSQL allows 65,535 values, and records of the quarantine may be large. */
const ROWS_PER_INSERT = 500
const BYTES_PER_INSERT = 4_194_304
const ROWS_PER_PAGE = 5000
/** The rows of a large table are compared in one go, while PostgreSQL hears nothing. */
const PATIENT = "SET LOCAL idle_in_transaction_session_timeout = '1h'"

/** Their events are not accepted any more. */
const NOTE_REMOVED_DOMAINS = `
  INSERT INTO removed_domain
  SELECT DISTINCT value::bigint FROM removal, json_array_elements_text(domain_numbers::json) ON CONFLICT DO NOTHING`

/** Rows of each table. */
export type ControlCounts = Readonly<Partial<Record<ControlTable, number>>>

/** Throws AppError `conflict` if one of the tables has rows. */
export async function requireEmpty(db: Statements): Promise<void> {
  for (const table of CONTROL_TABLES) {
    if (!(await db.get(`SELECT 1 AS found FROM ${table} LIMIT 1`))) continue
    throw new AppError(
      'conflict',
      `The PostgreSQL database is not empty: it has rows in ${table}. An installation can be moved into an empty database only. Create a new one, and run: ${PROGRAM} migrate`,
    )
  }
}

/** Makes the tables equal to those of control.db, whatever they contain. `also`: in the same transaction. */
export function copyControl(
  source: Database,
  target: Postgres,
  also: (statements: Statements) => Promise<void>,
): Promise<ControlCounts> {
  return target.transaction(async (statements) => {
    await statements.run(PATIENT)
    // A snapshot of everything; the server continues to write.
    source.hold()
    try {
      const counts = await copyTables(source, statements)
      await also(statements)
      return counts
    } finally {
      source.release()
    }
  })
}

async function copyTables(source: Database, target: Statements): Promise<ControlCounts> {
  const counts: Partial<Record<ControlTable, number>> = {}
  const large = Object.keys(LARGE_TABLES) as ControlTable[]
  const replaced = CONTROL_TABLES.filter((table) => !large.includes(table))
  for (const table of replaced.toReversed()) await target.run(`DELETE FROM ${table}`)
  for (const table of replaced) {
    const columns = await columnsOf(source, target, table)
    counts[table] = await insert(target, table, columns, source.iterate(`SELECT ${columns.join(', ')} FROM ${table}`))
  }
  for (const table of large) counts[table] = await copyLarge(source, target, table)
  for (const table of CONTROL_TABLES) await continueNumbers(source, target, table)
  await target.run(NOTE_REMOVED_DOMAINS)
  return counts
}

/** Throws if the two databases disagree, which only a bug can cause. */
async function columnsOf(source: Database, target: Statements, table: ControlTable): Promise<readonly string[]> {
  const rows = await target.all<{ name: string }>(
    'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position',
    table,
  )
  const columns = rows.map(({ name }) => name)
  const own = source.allArrays<[string]>('SELECT name FROM pragma_table_info(?)', table).map(([name]) => name)
  if (columns.toSorted().join() !== own.toSorted().join()) throw new Error(`the columns of ${table} differ`)
  return columns
}

/** Only rows that differ are written: the last step of a move must not take long. */
async function copyLarge(source: Database, target: Statements, table: ControlTable): Promise<number> {
  const columns = await columnsOf(source, target, table)
  const marks = (LARGE_TABLES[table] ?? []).join(', ')
  const known = readMarks(target, table, marks)
  let there = (await known.next()).value as Values | undefined
  const stale: number[] = []
  const fresh: number[] = []
  let count = 0
  for (const row of source.iterate(`SELECT ${marks} FROM ${table} ORDER BY id`)) {
    count++
    for (; there && Number(there[0]) < Number(row[0]); there = (await known.next()).value as Values | undefined)
      stale.push(Number(there[0]))
    const isKnown = there !== undefined && there[0] === row[0]
    const isSame = isKnown && there?.join() === row.join()
    if (isKnown && !isSame) stale.push(Number(row[0]))
    if (!isSame) fresh.push(Number(row[0]))
    if (isKnown) there = (await known.next()).value as Values | undefined
  }
  for (; there; there = (await known.next()).value as Values | undefined) stale.push(Number(there[0]))
  for (let at = 0; at < stale.length; at += ROWS_PER_PAGE) {
    await target.run(`DELETE FROM ${table} WHERE id = ANY($1)`, stale.slice(at, at + ROWS_PER_PAGE))
  }
  const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE id = ?`
  await insert(
    target,
    table,
    columns,
    fresh.values().flatMap((id) => source.allArrays<SqlRow>(sql, id)),
  )
  return count
}

type SqlRow = (null | number | string | Uint8Array)[]

async function* readMarks(target: Statements, table: ControlTable, marks: string): AsyncGenerator<Values, undefined> {
  for (let after = 0; ; ) {
    const sql = `SELECT ${marks} FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${ROWS_PER_PAGE}`
    const rows = await target.all<Record<string, number>>(sql, after)
    for (const row of rows) yield Object.values(row)
    if (rows.length < ROWS_PER_PAGE) return undefined
    after = rows.at(-1)?.['id'] ?? after
  }
}

/** Returns the number of rows. */
async function insert(
  target: Statements,
  table: ControlTable,
  columns: readonly string[],
  rows: Iterable<Values>,
): Promise<number> {
  let count = 0
  let values: SqlValue[] = []
  let bytes = 0
  const write = async () => {
    if (values.length === 0) return
    const places = Array.from({ length: values.length / columns.length }, (_, row) => placesOf(row, columns.length))
    await target.run(
      `INSERT INTO ${table} (${columns.join(', ')}) ${NUMBERED[table] ? 'OVERRIDING SYSTEM VALUE ' : ''}VALUES ${places.join(', ')}`,
      ...values,
    )
    values = []
    bytes = 0
  }
  for (const row of rows) {
    count++
    values.push(...row)
    for (const value of row) bytes += typeof value === 'object' || typeof value === 'string' ? (value?.length ?? 0) : 8
    if (values.length >= ROWS_PER_INSERT * columns.length || bytes > BYTES_PER_INSERT) await write()
  }
  await write()
  return count
}

function placesOf(row: number, columns: number): string {
  return `(${Array.from({ length: columns }, (_, column) => `$${row * columns + column + 1}`).join(', ')})`
}

/** The numbers go on where they were, even if the rows with the highest ones are gone. */
async function continueNumbers(source: Database, target: Statements, table: ControlTable): Promise<void> {
  const column = NUMBERED[table]
  const last = source.number('SELECT seq FROM sqlite_sequence WHERE name = ?', table)
  if (column === undefined || last === 0) return
  await target.run(`SELECT setval(pg_get_serial_sequence($1, $2), $3)`, table, column, last)
}
