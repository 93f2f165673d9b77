/** Deletes rows in ClickHouse, and finds out when they are gone from all replicas. */
import { setTimeout as delay } from 'node:timers/promises'
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { isNew } from '../server/features.ts'
import { alterTable, Members } from '../upkeep/members.ts'
import type { Decided, Deletion } from './erasure-lease.ts'
import { FIRST_RESERVED_DOMAIN, insertPlaceholders } from './placeholders.ts'

const POLL_MS = 200
const POLL_MAX_MS = 1000

export interface Patience {
  /** As performance.now(). */
  readonly untilMs: number
  readonly onPoll: () => Promise<void>
}

/**
 * False if a replica has not done it when the time is over: ClickHouse continues, and another call with the same tag waits for the same
 * statements. By the tag they are found among those that ClickHouse carries out.
 */
export async function deleteRows(
  clickHouse: ClickHouse,
  { deletions, tag }: Pick<Decided, 'deletions' | 'tag'>,
  patience: Patience,
): Promise<boolean> {
  const isOld = !isNew(clickHouse.version)
  const members = await Members.list(clickHouse)
  if (!(await isSent(members, deletions, tag))) await send(clickHouse, deletions, tag, isOld)
  for (let pause = POLL_MS; ; pause = Math.min(POLL_MAX_MS, pause * 2)) {
    if (await isDone(members, deletions, tag, isOld).catch(refuseUnavailable)) {
      if (await areGone(members, deletions).catch(refuseUnavailable)) return true
      // It has passed over a part: the next one does not.
      await send(clickHouse, deletions, tag, isOld)
    }
    if (performance.now() + pause > patience.untilMs) return false
    await delay(pause)
    await patience.onPoll()
  }
}

async function send(
  clickHouse: ClickHouse,
  deletions: readonly Deletion[],
  tag: string,
  isOld: boolean,
): Promise<void> {
  if (isOld) await insertPlaceholders(clickHouse, deletions)
  for (const { table, where } of deletions) {
    const condition = isOld ? `(${where}) OR domain >= ${FIRST_RESERVED_DOMAIN}` : where
    await alterTable(clickHouse, table, `DELETE WHERE (${condition}) AND '${tag}' != ''`)
  }
}

/** Whether every member that answers knows the statements; the others get them from it, or from the queue of the cluster. */
async function isSent(members: Members, deletions: readonly Deletion[], tag: string): Promise<boolean> {
  const known = await findStatements(members, tag)
  if (known.size === 0) return false
  const present = await members.ask('replicas', '1', "table = 'event'", 'some')
  return [...present.keys()].every((member) => (known.get(member)?.length ?? 0) >= deletions.length)
}

/** Tables, partitions and numbers of blocks, by member. */
function findStatements(members: Members, tag: string): ReturnType<Members['ask']> {
  const partitions = "arrayStringConcat(block_numbers.partition_id, ',')"
  const numbers = "arrayStringConcat(arrayMap(x -> toString(x), block_numbers.number), ',')"
  return members.ask('mutations', `table, ${partitions}, ${numbers}`, `command LIKE '%${tag}\\'%'`, 'some')
}

/** What counts: the statements are only the way. */
async function areGone(members: Members, deletions: readonly Deletion[]): Promise<boolean> {
  for (const { table, where } of deletions) if ((await members.countRows(table, where)) > 0) return false
  return true
}

/** A member that does not answer has not done it. */
function refuseUnavailable(error: unknown): false {
  if (error instanceof AppError && error.code === 'storage_unavailable') return false
  throw error
}

/**
 * Whether all members know the statement, and none has a part of the partitions that is older than it, or is about to get one. Other
 * partitions do not matter: ClickHouse goes through all of them. `hasPlaceholders`: the last part before the statement is not touched.
 */
async function isDone(
  members: Members,
  deletions: readonly Deletion[],
  tag: string,
  hasPlaceholders: boolean,
): Promise<boolean> {
  const known = await findStatements(members, tag)
  const statements = [...known.values()].reduce((sum, rows) => sum + rows.length, 0)
  if (known.size < members.count || statements < members.count * deletions.length) return false
  const tables = `table IN (${deletions.map(({ table }) => `'${table}'`).join(', ')})`
  // In this order: what leaves the queue is a part then.
  const behind = await members.ask('replicas', '1', `${tables} AND log_pointer <= log_max_index`, 'all')
  if (behind.size > 0) return false
  const queue = await members.ask('replication_queue', 'table, new_part_name', tables, 'all')
  const partitions = new Set(deletions.flatMap((deletion) => deletion.partitions))
  const named = [...partitions].map((partition) => `'${partition}'`).join(', ')
  const parts = await members.ask('parts', 'table, name', `${tables} AND active AND partition IN (${named})`, 'all')
  for (const [member, rows] of known) {
    const versions = toVersions(rows)
    const found = [...(queue.get(member) ?? []), ...(parts.get(member) ?? [])]
    for (const { table, partitions: wanted } of deletions) {
      for (const partition of wanted.map(toPartitionId)) {
        const version = versions.get(`${table} ${partition}`) ?? versions.get(`${table} `) ?? 0
        const own = found.flatMap(([of, name = '']) => (of === table ? [parsePart(name)] : []))
        const ofPartition = own.filter((part) => part.partition === partition)
        if (hasOldPart(ofPartition, version, hasPlaceholders)) return false
      }
    }
  }
  return true
}

/**
 * Placeholders were inserted after the rows and before the statement. So a single block that is the last one before the statement is the
 * placeholder, or came after it: it has none of the rows.
 */
function hasOldPart(parts: readonly Part[], version: number, hasPlaceholders: boolean): boolean {
  const old = parts.filter((part) => part.version < version)
  const last = Math.max(...parts.filter(({ first }) => first < version).map((part) => part.last))
  const left = hasPlaceholders ? old.filter((part) => part.first !== last) : old
  return left.length > 0
}

/** By table and partition: parts of a lower version have the rows. */
function toVersions(mutations: readonly (readonly string[])[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const [table, partitions = '', numbers = ''] of mutations) {
    const versions = numbers.split(',').map(Number)
    for (const [at, partition] of partitions.split(',').entries()) {
      const key = `${table} ${partition}`
      found.set(key, Math.max(found.get(key) ?? 0, versions[at] ?? 0))
    }
  }
  return found
}

interface Part {
  readonly partition: string
  /** Numbers of blocks. */
  readonly first: number
  readonly last: number
  /** The last statement that it has gone through; those before its own block do not concern it. */
  readonly version: number
}

/** `20260301_0_5_1` or `20260301_0_5_1_7`: partition, first and last block, level, version. */
function parsePart(name: string): Part {
  const [partition = '', first = '0', last = first, , version = first] = name.split('_')
  return { partition, first: Number(first), last: Number(last), version: Number(version) }
}

/** Tables without partitions have one of this name. */
function toPartitionId(partition: string): string {
  return partition === 'tuple()' ? 'all' : partition.replaceAll('-', '')
}
