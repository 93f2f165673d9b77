/** Divides new events among another number of shards, while nobody stores any. */
import { AppError } from '../../lib/app-error.ts'
import { BatchStore } from '../postgres/batches/batch-store.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { migrateClickHouse } from './schema/migrate-clickhouse.ts'
import { dropOwnShardView } from './schema/own-shard-view.ts'
import type { ClickHouse } from './server/clickhouse.ts'

/** Longer than the statements take on a cluster with a member that does not answer. */
const SILENCE_MS = 300_000
/** Servers hold a shard for seconds at most. */
const LOCK_WAIT_MS = 30_000

/**
 * Holds all shards that there are and were (`used`). Servers that run count with the old number, and can neither look up nor store from then on. Throws AppError
 * `conflict` while a batch is unfinished: repeated after the change, its rows would go to other shards and be stored twice.
 */
export async function changeShards(
  postgresUrl: string,
  clickHouse: ClickHouse,
  shards: number,
  used: readonly number[],
): Promise<void> {
  const db = new Postgres(postgresUrl)
  const batches = new BatchStore({ db, silenceMs: SILENCE_MS })
  const change = async () => {
    const waiting = await batches.listWaiting()
    if (waiting.length > 0) {
      throw new AppError(
        'conflict',
        `Batches of shard ${waiting.join(', ')} are not stored yet. Running servers store them as soon as ClickHouse can be used; then run the command again.`,
      )
    }
    await dropOwnShardView(clickHouse, used)
    await migrateClickHouse(clickHouse, { shards })
  }
  const holdBelow = (count: number): Promise<void> =>
    count === 0 ? change() : batches.hold(count - 1, LOCK_WAIT_MS, () => holdBelow(count - 1))
  try {
    await holdBelow(Math.max(shards, clickHouse.configuredShards, ...used))
  } finally {
    batches.close()
    await db.close()
  }
}
