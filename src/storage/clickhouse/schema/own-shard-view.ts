/** The view by which servers know that every domain has all its events on one shard (see own-shard.ts). */
import type { ClickHouse } from '../server/clickhouse.ts'
import { ownShardView, SHARD_NAME } from '../server/own-shard.ts'
import { Members } from '../upkeep/members.ts'
import { listUsedShards } from './schema-state.ts'
import { onCluster, quote } from './tables.ts'

// Without the database, which may not exist.
const ANYWHERE = { isStrict: false, settings: { database: 'system' } }

/** Asks the server that is asked first: one that was replaced and has nothing yet only makes reads slower. */
export async function hasOwnShardView(clickHouse: ClickHouse, shards: number): Promise<boolean> {
  const sql = `SELECT name FROM system.tables WHERE database = '${clickHouse.database}' AND name = '${ownShardView(shards)}'`
  return (await clickHouse.select(sql, ANYWHERE)).length > 0
}

/**
 * Also on servers that were added. Not if events are stored and no server has the view: they may have been divided in another way before.
 * All members have to answer, as for the number of shards.
 */
export async function createOwnShardView(clickHouse: ClickHouse, shards: number): Promise<void> {
  const { database, cluster } = clickHouse
  const members = await Members.list(clickHouse)
  const isThere = (await members.ask('tables', 'name', `name = '${ownShardView(shards)}'`, 'all')).size > 0
  if (!isThere) {
    const used = await listUsedShards(clickHouse)
    const hasEvents = (await members.ask('parts', 'name', 'active', 'all')).size > 0
    if (hasEvents || used.some((other) => other !== shards)) return
  }
  const name = `${quote(database)}.${ownShardView(shards)}${onCluster(cluster)}`
  await clickHouse.command(`CREATE VIEW IF NOT EXISTS ${name} AS ${SHARD_NAME}`)
}

/** Before the number of shards is changed: from then on, events of a domain may be on several. */
export async function dropOwnShardView(clickHouse: ClickHouse, used: readonly number[]): Promise<void> {
  const { database, cluster } = clickHouse
  for (const shards of used) {
    await clickHouse.command(`DROP TABLE IF EXISTS ${quote(database)}.${ownShardView(shards)}${onCluster(cluster)}`)
  }
}
