/** Partitions of which files with erased rows may still be on a disk: ClickHouse removes files that are out of use after some minutes. */
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'
import type { Deletion, UncleanPartition } from './erasure-lease.ts'

const LIST = 'SELECT table_name AS "table", partition, newest FROM unclean_partition ORDER BY partition, table_name'
const REMOVE = 'DELETE FROM unclean_partition WHERE table_name = $1 AND partition = $2 AND newest = $3'

/**
 * To be called when the rows are deleted. Files of that moment that are out of use may have them; later ones have not. Throws AppError
 * `storage_unavailable` if a member does not answer: nobody would wait for its files.
 */
export async function listUnclean(
  clickHouse: ClickHouse,
  deletions: readonly Deletion[],
): Promise<readonly UncleanPartition[]> {
  const members = await Members.list(clickHouse)
  const unclean: UncleanPartition[] = []
  for (const { table, partitions } of deletions) {
    const found = await members.ask(
      'parts',
      'partition, toUInt32(modification_time)',
      `table = '${table}' AND NOT active AND partition IN (${partitions.map((each) => `'${each}'`).join(', ')})`,
      'all',
    )
    const newest = new Map<string, number>()
    for (const [partition = '', time] of [...found.values()].flat()) {
      newest.set(partition, Math.max(newest.get(partition) ?? 0, Number(time)))
    }
    unclean.push(...[...newest].map(([partition, time]) => ({ table, partition, newest: time })))
  }
  return unclean
}

/** True if none is left. Throws AppError `storage_unavailable` if a member stops answering. */
export async function checkUnclean(db: Postgres, clickHouse: ClickHouse): Promise<boolean> {
  const unclean = await db.all<UncleanPartition>(LIST)
  if (unclean.length === 0) return true
  const members = await Members.list(clickHouse)
  // A replica that is away keeps its files.
  const found = await members.ask('parts', 'table, partition, toUInt32(modification_time)', 'NOT active', 'all')
  const old = [...found.values()].flat()
  let left = 0
  for (const { table, partition, newest } of unclean) {
    const isLeft = old.some(([of, own, time]) => of === table && own === partition && Number(time) <= newest)
    if (isLeft) left++
    else await db.run(REMOVE, table, partition, newest)
  }
  return left === 0
}
