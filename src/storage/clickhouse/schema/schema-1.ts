/**
 * Tables that schema 1 has made: what only pages show of an event was in four columns. They stay, because ClickHouse makes the one that
 * replaced them of these where a row has none; so replicas that are added need them, too.
 */
import { defineColumns, ZSTD } from '../rows/columns.ts'
import { NO_CODE } from '../rows/event-row.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { isNew, type Version } from '../server/features.ts'
import { Members } from '../upkeep/members.ts'
import { listUsedShards } from './schema-state.ts'
import { distributedName, onCluster, quote } from './tables.ts'

/** As `writeDetails` does. */
export const DETAILS = `details String DEFAULT concat(service_message_id, ' ', toString(size), ' ', toString(present), ' ', toString(retry_after), ' ',
  if(response_code = ${NO_CODE}, '', toString(response_code)), ' ', toString(type))`

/** By the column of now that they preceded; `details` itself took the place of three. */
const REPLACED: Readonly<Record<string, readonly string[]>> = {
  id: ['present UInt8'],
  details: ['service_message_id String', 'size UInt64', 'retry_after UInt32'],
}

export async function isOfSchema1(clickHouse: ClickHouse): Promise<boolean> {
  return (await countMembersWith(clickHouse, 'retry_after')) > 0
}

/** Of `event`, with the column that was added. */
export function defineEventOfSchema1(version: Version): string {
  const compressed = (column: string) => (isNew(version) ? `${column} CODEC(${ZSTD})` : column)
  const columns = defineColumns('event', version).split(',\n  ')
  const before = columns.flatMap((column) => {
    const name = column.split(' ')[0] ?? ''
    const replaced = (REPLACED[name] ?? []).map(compressed)
    return name === 'details' ? replaced : [...replaced, column]
  })
  return [...before, compressed(DETAILS)].join(',\n  ')
}

/** May be repeated. */
export async function addDetails(clickHouse: ClickHouse): Promise<void> {
  const { database, cluster, version } = clickHouse
  if (!(await haveAllDetails(clickHouse))) {
    const added = isNew(version) ? `IF NOT EXISTS ${DETAILS} CODEC(${ZSTD})` : DETAILS
    try {
      await clickHouse.command(`ALTER TABLE ${quote(database)}.event${onCluster(cluster)} ADD COLUMN ${added}`)
    } catch (error) {
      // On a server without tables, and in an old version on shards that have it already, because an earlier attempt was interrupted.
      if (!(await haveAllDetails(clickHouse))) throw error
    }
  }
  // They have the columns that the table had when they were made, and no rows of their own.
  for (const shards of await listUsedShards(clickHouse)) {
    const all = `${quote(database)}.${distributedName('event', shards)}${onCluster(cluster)}`
    await clickHouse.command(`DROP TABLE IF EXISTS ${all}`)
  }
}

/** All that have the table. */
async function haveAllDetails(clickHouse: ClickHouse): Promise<boolean> {
  return (await countMembersWith(clickHouse, 'details')) === (await countMembersWith(clickHouse, 'domain'))
}

/** How many members have a column of `event`. Throws unless all answer. */
async function countMembersWith(clickHouse: ClickHouse, column: string): Promise<number> {
  const members = await Members.list(clickHouse)
  return (await members.ask('columns', 'name', `table = 'event' AND name = '${column}'`, 'all')).size
}
