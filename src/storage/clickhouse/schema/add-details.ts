/**
 * From schema 1 to 2: what only pages show is one column instead of four. The four stay in tables that had them, because ClickHouse makes
 * the new one of them where a row has none.
 */
import { ZSTD } from '../rows/columns.ts'
import { NO_CODE } from '../rows/event-row.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { isNew } from '../server/features.ts'
import { Members } from '../upkeep/members.ts'
import { listUsedShards } from './schema-state.ts'
import { distributedName, onCluster, quote } from './tables.ts'

/** As `writeDetails` does. */
export const FROM_OTHERS = `concat(service_message_id, ' ', toString(size), ' ', toString(present), ' ', toString(retry_after), ' ',
  if(response_code = ${NO_CODE}, '', toString(response_code)), ' ', toString(type))`

export async function addDetails(clickHouse: ClickHouse): Promise<void> {
  const { database, cluster, version } = clickHouse
  const event = `${quote(database)}.event${onCluster(cluster)}`
  if (!(await isOnAllMembers(clickHouse))) {
    const column = `details String DEFAULT ${FROM_OTHERS}`
    const added = isNew(version) ? `IF NOT EXISTS ${column} CODEC(${ZSTD})` : column
    try {
      await clickHouse.command(`ALTER TABLE ${event} ADD COLUMN ${added}`)
    } catch (error) {
      // An old version fails on shards that have it already, because an earlier attempt was interrupted.
      if (!(await isOnAllMembers(clickHouse))) throw error
    }
  }
  // They have the columns that the table had when they were made, and no rows of their own.
  for (const shards of await listUsedShards(clickHouse)) {
    const all = `${quote(database)}.${distributedName('event', shards)}${onCluster(cluster)}`
    await clickHouse.command(`DROP TABLE IF EXISTS ${all}`)
  }
}

async function isOnAllMembers(clickHouse: ClickHouse): Promise<boolean> {
  const members = await Members.list(clickHouse)
  const found = await members.ask('columns', 'name', `table = 'event' AND name = 'details'`, 'all')
  return found.size === members.count
}
