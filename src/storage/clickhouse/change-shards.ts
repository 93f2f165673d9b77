/** Divides new events among another number of shards, while nobody stores any. */
import { AppError } from '../../lib/app-error.ts'
import { BatchStore } from '../postgres/batches/batch-store.ts'
import type { HeldShard } from '../postgres/batches/held-shard.ts'
import { Postgres } from '../postgres/database/postgres.ts'
import { reopenDays } from './closing/close-days.ts'
import { createDistributedTables, migrateClickHouse } from './schema/migrate-clickhouse.ts'
import { dropOwnShardView } from './schema/own-shard-view.ts'
import { findSchemaState } from './schema/schema-state.ts'
import type { ClickHouse } from './server/clickhouse.ts'

/** Servers hold a shard for seconds at most. */
const LOCK_WAIT_MS = 30_000
/** The limit of a lock is the shorter one. */
const PATIENT = { statement_timeout: 2 * LOCK_WAIT_MS, query_timeout: 2 * LOCK_WAIT_MS }
/** All statements together may take long. PostgreSQL hears of us meanwhile, or gives the locks to others. */
const PULSE_MS = 2000

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
  const db = new Postgres(postgresUrl, PATIENT)
  const batches = new BatchStore({ db })
  const held: HeldShard[] = []
  const confirm = async () => void (await Promise.all(held.map((shard) => shard.confirm())))
  const change = async () => {
    const waiting = await batches.listWaiting()
    if (waiting.length > 0) {
      // A change that was interrupted may have dropped tables that servers need for them.
      const state = await findSchemaState(clickHouse)
      if (state) await createDistributedTables(clickHouse, state.shards)
      throw new AppError(
        'conflict',
        `Some batches are not finished (shards: ${waiting.map((shard) => shard + 1).join(', ')}). Running servers finish them as soon as ClickHouse is available; then run this command again.`,
      )
    }
    // Which shard decides about a domain changes, and with it up to which day its counts are summed up.
    await db.transaction(reopenDays)
    await dropOwnShardView(clickHouse, used)
    await migrateClickHouse(clickHouse, { shards, beforeState: confirm })
  }
  const holdBelow = (count: number): Promise<void> => {
    if (count === 0) return change()
    return batches.hold(count - 1, LOCK_WAIT_MS, (shard) => {
      held.push(shard)
      return holdBelow(count - 1)
    })
  }
  const pulse = setInterval(() => void confirm().catch(() => undefined), PULSE_MS)
  try {
    await holdBelow(Math.max(shards, clickHouse.configuredShards, ...used))
  } finally {
    clearInterval(pulse)
    batches.close()
    await db.close()
  }
}
