/**
 * Keeps numbers of domains unique when PostgreSQL has lost some of them, as arrival-guard.ts does for events: a number that was given out
 * twice would show the events of one tenant to another.
 */
import type { Statements } from '../../postgres/database/postgres.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse, TableName } from '../server/clickhouse.ts'

/** By domain, so that looking for higher numbers reads next to nothing. One of them may lack a batch that was never finished. */
const TABLES = ['event', 'event_hour', 'domain_change'] as const satisfies readonly TableName[]

const SEQUENCE = "pg_get_serial_sequence('domain', 'number')"
const READ_LAST = `SELECT coalesce(pg_sequence_last_value(${SEQUENCE}::regclass), 0)::bigint`
const RAISE = `SELECT setval(${SEQUENCE}, greatest($1::bigint, (${READ_LAST})))`

type NameTable = (table: TableName) => string

/** The highest number that events have and that was not given out, as PostgreSQL knows; 0 if there is none. */
export async function findLostDomain(
  statements: Statements,
  clickHouse: ClickHouse,
  nameTable: NameTable,
): Promise<number> {
  const last = await statements.number(READ_LAST)
  const within = `domain > ${last} AND domain < ${FIRST_RESERVED_DOMAIN}`
  let highest = 0
  for (const table of TABLES) {
    const sql = `SELECT max(domain) FROM ${nameTable(table)} WHERE ${within}`
    const [[found] = []] = await clickHouse.select(sql, { mustBeStrict: true })
    highest = Math.max(highest, Number(found ?? 0))
  }
  return highest
}

/** The next domain gets a higher number. */
export async function raiseDomains(statements: Statements, number: number): Promise<void> {
  await statements.run(RAISE, number)
}

/** Returns the next number if it had to be changed. */
export async function continueDomains(
  statements: Statements,
  clickHouse: ClickHouse,
  nameTable: NameTable,
): Promise<number | undefined> {
  const highest = await findLostDomain(statements, clickHouse, nameTable)
  if (highest === 0) return undefined
  await raiseDomains(statements, highest)
  return highest + 1
}
