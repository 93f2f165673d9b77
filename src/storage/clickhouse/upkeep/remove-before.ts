/**
 * Retention: whole days, in an order that can be interrupted anywhere and repeated by any server.
 *
 * 1. The cut day is moved: from then on no event of an earlier day is accepted, by any server.
 * 2. What was decided before is finished, shard by shard: the counts of these days are final.
 * 3. Day by day, oldest first, the counts are added to the totals. From that commit on, counts of ClickHouse begin after the day.
 * 4. The partitions are dropped, and again whenever one shows up: a replica that was away brings it back, or an insert that was
 *    repeated after all.
 */
import { randomUUID } from 'node:crypto'
import type { Postgres } from '../../postgres/database/postgres.ts'
import { deleteRows } from '../erasing/delete-rows.ts'
import { FIRST_RESERVED_DOMAIN } from '../erasing/placeholders.ts'
import type { ClickHouse, TableName } from '../server/clickhouse.ts'
import { isNew } from '../server/features.ts'
import { dayAfter, dayOf, dayOfSecond, firstHourOf, inDay, inHoursOf, startOf } from './day.ts'
import { foldDay } from './fold-day.ts'
import { alterTable, Members } from './members.ts'
import { finishDecided, type ShardAccess } from './shard-access.ts'

/** Tables with a partition for each day. */
export const DAILY_TABLES = ['event', 'event_hour', 'sending_hour'] as const satisfies readonly TableName[]
type DailyTable = (typeof DAILY_TABLES)[number]

/** The next run continues. */
const DELETION_MS = 15_000
/** Of a table in one statement, whose length has a limit. */
const DAYS_MAX = 400

// Never back: what was refused once is refused for good.
const MOVE_CUT = `
  INSERT INTO shard SELECT number, $2 FROM generate_series(0, $1::int - 1) number
  ON CONFLICT (number) DO UPDATE SET cut_day = greatest(shard.cut_day, excluded.cut_day)`

export interface RetentionDeps {
  readonly db: Postgres
  readonly clickHouse: ClickHouse
  readonly access: ShardAccess
  /** Called when a day is in the totals, and its rows must not be shown any more. */
  readonly onFolded?: () => void
}

export async function removeBefore(deps: RetentionDeps, timeMs: number): Promise<readonly string[]> {
  const { db, access } = deps
  const cutDay = dayOf(timeMs)
  await db.run(MOVE_CUT, access.shards, cutDay)
  await finishDecided(access)
  const folded = await listCounted(deps, cutDay)
  for (const day of folded) {
    await foldDay(deps, day)
    deps.onFolded?.()
  }
  const dropped = await dropFolded(deps)
  return [...new Set([...folded, ...dropped])].sort()
}

/** Days with counts that are to be added to the totals. */
async function listCounted({ db, clickHouse }: RetentionDeps, cutDay: string): Promise<readonly string[]> {
  const last = await findLastFolded(db)
  const from = last === undefined ? 0 : firstHourOf(dayAfter(last))
  const rows = await clickHouse.select(
    `SELECT DISTINCT ${dayOfSecond('hour * 3600')} AS day FROM ${clickHouse.readFrom('event_hour')}
     WHERE hour >= ${from} AND hour < ${firstHourOf(cutDay)} ORDER BY day`,
    { mustBeStrict: true },
  )
  return rows.flat()
}

/** The newest day whose counts are in the totals. */
export async function findLastFolded(db: Postgres): Promise<string | undefined> {
  return (await db.get<{ day: string | null }>('SELECT max(day) AS day FROM folded_day'))?.day ?? undefined
}

/** Drops what any member still has of folded days; returns the days. */
export async function dropFolded({ db, clickHouse }: Omit<RetentionDeps, 'access'>): Promise<readonly string[]> {
  const last = await findLastFolded(db)
  if (last === undefined) return []
  const isOld = !isNew(clickHouse.version)
  const found = isOld ? await listRemains(clickHouse, last) : await listPartitions(clickHouse, last)
  if (isOld) await emptyDays(clickHouse, found)
  else {
    for (const [table, days] of found)
      for (const day of days) await alterTable(clickHouse, table, `DROP PARTITION '${day}'`)
  }
  return [...new Set([...found.values()].flat())].sort()
}

/** Tables without any are absent. */
type DaysOfTables = ReadonlyMap<DailyTable, readonly string[]>

async function listPartitions(clickHouse: ClickHouse, last: string): Promise<DaysOfTables> {
  const members = await Members.list(clickHouse)
  const tables = DAILY_TABLES.map((table) => `'${table}'`).join(', ')
  const condition = `table IN (${tables}) AND active AND partition <= '${last}'`
  const found = await members.ask('parts', 'table, partition', condition)
  const rows = [...found.values()].flat()
  return daysOfTables((table) => rows.flatMap(([of, day = '']) => (of === table ? [day] : [])))
}

/**
 * Versions before 20 refuse all strict reads of a table after a partition was dropped, because its last part is missing that was inserted
 * with a quorum. There the rows are deleted, and a placeholder stays.
 */
async function listRemains(clickHouse: ClickHouse, last: string): Promise<DaysOfTables> {
  const found = await Promise.all(
    DAILY_TABLES.map(async (table) => {
      const second = table === 'event' ? 'timestamp' : 'hour * 3600'
      const rows = await clickHouse.select(
        `SELECT DISTINCT ${dayOfSecond(second)} AS day FROM ${clickHouse.readFrom(table)}
         WHERE ${second} < ${startOf(dayAfter(last))} AND domain < ${FIRST_RESERVED_DOMAIN} ORDER BY day LIMIT ${DAYS_MAX}`,
      )
      return [table, rows.flat()] as const
    }),
  )
  const days = new Map(found)
  return daysOfTables((table) => days.get(table) ?? [])
}

function daysOfTables(listDays: (table: DailyTable) => readonly string[]): DaysOfTables {
  const found = DAILY_TABLES.map((table) => [table, [...new Set(listDays(table))].sort()] as const)
  return new Map(found.filter(([, days]) => days.length > 0))
}

/** One statement for all days of a table: ClickHouse goes through all its partitions for each. */
async function emptyDays(clickHouse: ClickHouse, found: DaysOfTables): Promise<void> {
  if (found.size === 0) return
  const deletions = [...found].map(([table, days]) => ({
    table,
    // Without placeholders: the last one stays, and would look like a row that is left.
    where: `(${days.map((day) => (table === 'event' ? inDay('timestamp', day) : inHoursOf(day))).join(' OR ')}) AND domain < ${FIRST_RESERVED_DOMAIN}`,
    partitions: days,
  }))
  const patience = { untilMs: performance.now() + DELETION_MS, onPoll: async () => undefined }
  await deleteRows(clickHouse, { deletions, tag: `envelog ${randomUUID()}` }, patience)
}
