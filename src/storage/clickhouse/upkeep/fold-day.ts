/** Adds the counts of a day to the totals in PostgreSQL, once, however often it is interrupted and by however many servers it is tried. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE } from '../../../stats/domain-counts.ts'
import type { Postgres } from '../../postgres/database/postgres.ts'
import { COUNTERS, type Counter } from '../counts/counters.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { inHoursOf } from './day.ts'

/** Read from ClickHouse and written to PostgreSQL at a time. */
const ROWS_AT_ONCE = 10_000
const READ_BUDGET_MS = 600_000

// Nothing changes the counts of such a day any more: whoever collects them finds the same.
const COLLECT = `
  INSERT INTO folding_count
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[])
  ON CONFLICT (day, domain_number, type) DO UPDATE SET count = excluded.count`

const ADD = `
  INSERT INTO total (domain_number, type, count, changed_at_ms)
  SELECT domain_number, type, count, 0 FROM folding_count
  WHERE day = $1 AND domain_number NOT IN (SELECT number FROM removed_domain)
  ON CONFLICT (domain_number, type) DO UPDATE SET count = total.count + excluded.count`

// What is in the totals of closed days is moved from there. Whoever closes a day locks the row of its shard, too: each sees what the other did.
const LOCK_SHARDS = 'SELECT number FROM shard ORDER BY number FOR SHARE'
// In the order of all who change several of them.
const LOCK_TOTALS = `
  SELECT domain_number FROM closed_total WHERE domain_number IN (SELECT domain_number FROM folding_count WHERE day = $1)
  ORDER BY domain_number FOR UPDATE`
const SUBTRACT = `
  UPDATE closed_total AS closed SET ${COUNTERS.map((name) => `${name} = closed.${name} - folding.${name}`).join(', ')}
  FROM (SELECT domain_number, ${COUNTERS.map((name) => `${sumOf(name)} AS ${name}`).join(', ')}
    FROM folding_count WHERE day = $1 GROUP BY domain_number) AS folding
  JOIN shard ON shard.number = folding.domain_number % $2
  WHERE shard.closed_day >= $1 AND closed.domain_number = folding.domain_number`

export interface FoldDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
}

/** No event of the day may be accepted any more, and all that were accepted have to be counted. */
export async function foldDay({ db, clickHouse }: FoldDeps, day: string): Promise<void> {
  for await (const rows of readSums(clickHouse, day)) {
    const [domains, types, counts] = [0, 1, 2].map((column) => rows.map((row) => Number(row[column])))
    const names = types?.map((type) => EVENT_TYPES[type] ?? '') ?? []
    await db.run(COLLECT, day, domains ?? [], names, counts ?? [])
  }
  await db.transaction(async (statements) => {
    // Waits for another server that does the same, and sees that it is done.
    const added = await statements.run('INSERT INTO folded_day VALUES ($1) ON CONFLICT DO NOTHING', day)
    if (added > 0) {
      await statements.run(LOCK_SHARDS)
      await statements.run(ADD, day)
      await statements.run(LOCK_TOTALS, day)
      await statements.run(SUBTRACT, day, clickHouse.shards)
    }
    await statements.run('DELETE FROM folding_count WHERE day <= $1', day)
    await statements.run('DELETE FROM erased_count WHERE day <= $1', day)
  })
}

/** [domain, type, count], in parts. */
async function* readSums(clickHouse: ClickHouse, day: string): AsyncGenerator<readonly (readonly string[])[]> {
  const from = clickHouse.readFrom('event_hour')
  let after = '(0, -1)'
  for (;;) {
    const rows = await clickHouse.select(
      `SELECT domain, type, sum(n) AS total FROM ${from}
       WHERE ${inHoursOf(day)} AND (toInt64(domain), toInt16(type)) > ${after}
       GROUP BY domain, type HAVING total != 0 ORDER BY domain, type LIMIT ${ROWS_AT_ONCE}`,
      { mustBeStrict: true, budgetMs: READ_BUDGET_MS },
    )
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < ROWS_AT_ONCE) return
    after = `(${last[0]}, ${last[1]})`
  }
}

/** SQL: of rows by type. */
function sumOf(counter: Counter): string {
  const types = EVENT_TYPES.filter((type) => COUNTER_OF_TYPE[type] === counter).map((type) => `'${type}'`)
  return `coalesce(sum(count) FILTER (WHERE type IN (${types.join(', ')})), 0)`
}
