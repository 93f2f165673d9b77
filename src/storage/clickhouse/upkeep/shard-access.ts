/** What upkeep needs of the write path. */
import type { HeldShard } from '../../postgres/batches/held-shard.ts'

export interface ShardAccess {
  /** Numbered from 0. */
  readonly shards: number
  /**
   * Runs `work` while no server decides about events of the shard, and after all that was decided has been stored and counted. Throws
   * AppError `storage_unavailable` if that cannot be had at the moment.
   */
  whileIdle<T>(shard: number, work: (held: HeldShard) => Promise<T>): Promise<T>
}

/** Afterwards, everything that was decided before is visible. */
export async function finishDecided(access: ShardAccess): Promise<void> {
  for (let shard = 0; shard < access.shards; shard++) await access.whileIdle(shard, async () => undefined)
}
