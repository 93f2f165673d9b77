/** The tables, from one template: for a single server or a cluster, and with what the version of ClickHouse has. */

import { defineColumns } from '../rows/columns.ts'
import { COLUMN_OF_FIELD, SEARCHED_FIELDS, searchedText } from '../rows/searched-text.ts'
import type { TableName } from '../server/clickhouse.ts'
import { isNew, type Version } from '../server/features.ts'

export const TABLES: readonly TableName[] = ['event', 'event_hour', 'sending_hour', 'domain_change']

export interface SchemaPlace {
  readonly version: Version
  readonly database: string
  /** Absent for a single server. */
  readonly cluster?: string
}

export interface Index {
  readonly name: string
  /** `EXPRESSION TYPE type GRANULARITY n` */
  readonly definition: string
}

interface TableTemplate {
  /** Without Replicated. */
  readonly engine: string
  /** Days since 1970, independent of the server's time zone. */
  readonly partition?: string
  readonly order: string
}

const TEMPLATES: Readonly<Record<TableName, TableTemplate>> = {
  event: {
    engine: 'MergeTree()',
    partition: 'toDate(toUInt16(intDiv(timestamp, 86400)))',
    order: '(domain, timestamp, arrival)',
  },
  event_hour: {
    engine: 'SummingMergeTree((n))',
    partition: 'toDate(toUInt16(intDiv(hour, 24)))',
    order: '(domain, hour, type, provider, classification)',
  },
  sending_hour: {
    engine: 'SummingMergeTree((n))',
    partition: 'toDate(toUInt16(intDiv(hour, 24)))',
    order: '(domain, hour, origin, type, provider)',
  },
  domain_change: { engine: 'ReplacingMergeTree(changed_at_ms)', order: 'domain' },
}

/** Rows for each mark of the index by domain and time: a page is a few marks. */
const GRANULARITY = 1024
/** Blocks that a repeated insert is compared with. */
const REMEMBERED_BLOCKS = 10_000
/** For how long, if there are not as many: a week, which newer versions of ClickHouse have shortened to an hour. */
const REMEMBERED_SECONDS = 604_800
/**
 * A day that got nothing for two days becomes one part: a read costs a fixed time for every column of every part, and small parts beside a large one
 * would stay for good. Debian's version has no way to do it: it never merges the part of a day that was inserted last with a quorum.
 */
const MERGED_AFTER_SECONDS = 2 * 86_400
const REPLICATION_ROOT = '/clickhouse/tables'
/** In the path of replication, for the day on which a table has to be made anew. */
const TABLE_GENERATION = 1
/** A bit for every four characters in a row; bytes and hash functions for the texts of 1024 events. */
const FOUR_GRAMS = 'ngrambf_v1(4, 8192, 2, 0)'

/** Of `event`. Debian's version has none. */
export function listIndexes(version: Version): readonly Index[] {
  if (!isNew(version)) return []
  const searches = SEARCHED_FIELDS.map((field) => ({
    name: `${COLUMN_OF_FIELD[field]}_search`,
    definition: `${searchedText(field)} TYPE ${FOUR_GRAMS} GRANULARITY 1`,
  }))
  return [
    { name: 'by_arrival', definition: 'arrival TYPE minmax GRANULARITY 1' },
    { name: 'by_id', definition: 'id TYPE bloom_filter(0.01) GRANULARITY 1' },
    { name: 'by_type', definition: 'type TYPE set(16) GRANULARITY 1' },
    { name: 'by_code', definition: 'response_code TYPE set(64) GRANULARITY 1' },
    ...searches,
  ]
}

export function createTable(table: TableName, { version, database, cluster }: SchemaPlace): string {
  const { partition, order } = TEMPLATES[table]
  const indexes = table === 'event' ? listIndexes(version) : []
  const members = [defineColumns(table, version), ...indexes.map((index) => `INDEX ${index.name} ${index.definition}`)]
  return `CREATE TABLE IF NOT EXISTS ${quote(database)}.${table}${onCluster(cluster)} (
  ${members.join(',\n  ')}
) ENGINE = ${engineOf(table, database, cluster)}
${partition === undefined ? '' : `PARTITION BY ${partition}\n`}ORDER BY ${order}
SETTINGS ${settingsOf(table, version, cluster).join(', ')}`
}

/** Where the replicas of a shard of a table find each other in ZooKeeper or Keeper. */
export function pathOf(table: TableName, shard: string, database: string): string {
  return `${REPLICATION_ROOT}/${shard}/${database}/${table}_${TABLE_GENERATION}`
}

/** All shards of a table. Its name has their number, so that a server that counts with another number can neither look up nor store. */
export function distributedName(table: TableName, shards: number): string {
  return `${table}_all_${shards}`
}

/** `domain % shards`, as the writers count: a shard that is added to ClickHouse's configuration changes nothing until the schema is migrated. */
export function createDistributed(table: TableName, shards: number, database: string, cluster: string): string {
  const name = `${quote(database)}.${distributedName(table, shards)}`
  return `CREATE TABLE IF NOT EXISTS ${name}${onCluster(cluster)} AS ${quote(database)}.${table}
ENGINE = Distributed(${quote(cluster)}, ${quote(database)}, ${table}, domain % ${shards})`
}

export function onCluster(cluster: string | undefined): string {
  return cluster === undefined ? '' : ` ON CLUSTER ${quote(cluster)}`
}

/** The names have neither backquotes nor backslashes: connectClickHouse refuses them. */
export function quote(name: string): string {
  return `\`${name}\``
}

function engineOf(table: TableName, database: string, cluster: string | undefined): string {
  const { engine } = TEMPLATES[table]
  if (cluster === undefined) return engine
  const [, name, parameters] = /^(\w+)\((.*)\)$/.exec(engine) ?? []
  const path = `'${pathOf(table, '{shard}', database)}', '{replica}'`
  return `Replicated${name}(${[path, ...(parameters ? [parameters] : [])].join(', ')})`
}

/** Settings that came with newer versions. An acknowledged insert survives a power cut where the version can sync it. */
export function listNewSettings(table: TableName, version: Version): readonly string[] {
  if (!isNew(version)) return []
  const merging = [
    `min_age_to_force_merge_seconds = ${MERGED_AFTER_SECONDS}`,
    'min_age_to_force_merge_on_partition_only = 1',
  ]
  return [
    'fsync_after_insert = 1',
    'fsync_part_directory = 1',
    ...(TEMPLATES[table].partition === undefined ? [] : merging),
  ]
}

function settingsOf(table: TableName, version: Version, cluster: string | undefined): readonly string[] {
  return [
    `index_granularity = ${GRANULARITY}`,
    ...(cluster === undefined
      ? [`non_replicated_deduplication_window = ${REMEMBERED_BLOCKS}`]
      : [
          `replicated_deduplication_window = ${REMEMBERED_BLOCKS}`,
          `replicated_deduplication_window_seconds = ${REMEMBERED_SECONDS}`,
        ]),
    ...listNewSettings(table, version),
  ]
}
