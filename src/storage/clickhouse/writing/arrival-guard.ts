/**
 * Keeps arrival numbers unique when PostgreSQL has lost some of them: after a failover to a standby that was not synchronous, or when an
 * older copy was restored. Numbers that are given out twice would make pages and streams take two events for one.
 *
 * A session that decides is new after each of these. Before it is used, the identity of the database is compared with the one that was
 * recorded in it; if it is another, the numbers continue after all that are stored.
 */
import { AppError } from '../../../lib/app-error.ts'
import { LOCKS } from '../../postgres/database/locks.ts'
import type { Postgres, Session, Statements } from '../../postgres/database/postgres.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { findLostDomain, raiseDomains } from './domain-numbers.ts'

const NAME = 'postgres_identity'
/** For batches that were decided and lost, and are still being inserted by a server that does not know: more than all of them have. */
const RESERVED_NUMBERS = 10_000_000
/** The same for domains that were lost, and that servers still know for a moment. */
const RESERVED_DOMAINS = 1000

// The timeline changes when a standby is promoted and when a copy was recovered; the others when a dump was restored.
const READ = `
  SELECT CASE WHEN pg_is_in_recovery() THEN NULL ELSE concat_ws(' ',
      (SELECT system_identifier FROM pg_control_system()), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
      (SELECT oid FROM pg_database WHERE datname = current_database()), 'arrival'::regclass::oid) END AS identity,
    (SELECT convert_from(value, 'UTF8') FROM setting WHERE name = '${NAME}') AS recorded`
const RECORD = `
  INSERT INTO setting VALUES ('${NAME}', convert_to($1, 'UTF8')) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const READ_NEXT = 'SELECT coalesce((SELECT next FROM arrival), 1)::bigint'
const CONTINUE = `
  INSERT INTO arrival VALUES (1, $1::bigint + $2) ON CONFLICT (id) DO UPDATE SET next = greatest(arrival.next, $1) + $2`
const RAISE = `
  INSERT INTO arrival VALUES (1, $1)
  ON CONFLICT (id) DO UPDATE SET next = excluded.next WHERE arrival.next < excluded.next`

/**
 * To be called with every session that is going to decide, and before a domain is added. Rejects if ClickHouse has to be asked and cannot be.
 * Returns whether it was asked.
 */
export async function guardNumbers(session: Session | Postgres, clickHouse: ClickHouse): Promise<boolean> {
  const { identity, recorded } = await readIdentity(session)
  if (identity === null || identity === recorded) return false
  const highest = recorded === null ? 0 : await findHighest(session, clickHouse, clickHouse.readFrom('event'))
  const domain = await findLostDomain(session, clickHouse, (table) => clickHouse.readFrom(table))
  await session.transaction(async (statements) => {
    await statements.run('SELECT pg_advisory_xact_lock($1)', LOCKS.numbers)
    const again = await readIdentity(statements)
    if (again.recorded === identity) return
    if (recorded !== null) await statements.run(CONTINUE, highest + 1, RESERVED_NUMBERS)
    if (domain > 0) await raiseDomains(statements, domain + RESERVED_DOMAINS)
    await statements.run(RECORD, identity)
  })
  return true
}

/** For copies that were restored in a way that leaves no trace. Returns the next number if it had to be changed. */
export async function continueNumbers(
  statements: Statements,
  clickHouse: ClickHouse,
  table: string,
): Promise<number | undefined> {
  const highest = await findHighest(statements, clickHouse, table)
  if (highest === 0) return undefined
  const changed = await statements.run(RAISE, highest + 1)
  return changed > 0 ? highest + 1 : undefined
}

/** The highest number that an event has and that was not given out, as PostgreSQL knows; 0 if there is none. */
async function findHighest(statements: Statements, clickHouse: ClickHouse, table: string): Promise<number> {
  const next = await statements.number(READ_NEXT)
  // Placeholders of removals have arrival numbers that were never given out.
  const sql = `SELECT max(arrival) FROM ${table} WHERE arrival >= ${next} AND domain < ${FIRST_RESERVED_DOMAIN}`
  const [[highest] = []] = await clickHouse.select(sql, { mustBeStrict: true })
  return Number(highest ?? 0)
}

/** Null on a standby, where nothing can be decided, and where PostgreSQL does not tell. */
async function readIdentity(statements: Statements): Promise<{ identity: string | null; recorded: string | null }> {
  try {
    return (await statements.get(READ)) ?? { identity: null, recorded: null }
  } catch (error) {
    if (error instanceof AppError) throw error
    return { identity: null, recorded: null }
  }
}
