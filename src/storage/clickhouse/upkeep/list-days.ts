/** The size of each day, from ClickHouse's list of files: one copy of each shard. */
import type { DayUse } from '../../storage.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { DAILY_TABLES } from './remove-before.ts'

/** Newest first. */
export async function listDays(clickHouse: ClickHouse): Promise<readonly DayUse[]> {
  const { cluster, database } = clickHouse
  const from = cluster === undefined ? 'system.parts' : `cluster('${cluster}', system.parts)`
  const tables = DAILY_TABLES.map((table) => `'${table}'`).join(', ')
  const rows = await clickHouse.select(
    `SELECT partition, sum(bytes_on_disk), sum(if(table = 'event', rows, 0)) FROM ${from}
     WHERE database = '${database}' AND table IN (${tables}) AND active GROUP BY partition ORDER BY partition DESC`,
    { isStrict: false },
  )
  return rows.map(([day = '', bytes, events]) => ({ day, bytes: Number(bytes), events: Number(events) }))
}
