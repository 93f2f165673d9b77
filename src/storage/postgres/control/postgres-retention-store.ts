/** The state of retention in PostgreSQL: one row. */
import type { RetentionStore } from '../../../events/retention/retention-store.ts'
import { type RetentionRow, toRetentionState } from '../../rows/retention-row.ts'
import type { Postgres } from '../database/postgres.ts'

const SELECT = `
  SELECT time_ms AS "timeMs", clock_ms AS "clockMs", off_ms AS "offMs", waited_ms AS "waitedMs",
    cutoff_ms AS "cutoffMs", completed_at_ms AS "completedAtMs"
  FROM retention`
const REPLACE = `
  INSERT INTO retention (id, time_ms, clock_ms, off_ms, waited_ms, cutoff_ms, completed_at_ms)
  VALUES (1, $1, $2, $3, $4, $5, $6)
  ON CONFLICT (id) DO UPDATE SET time_ms = excluded.time_ms, clock_ms = excluded.clock_ms, off_ms = excluded.off_ms,
    waited_ms = excluded.waited_ms, cutoff_ms = excluded.cutoff_ms, completed_at_ms = excluded.completed_at_ms`

export function createRetentionStore(db: Postgres): RetentionStore {
  return {
    async find() {
      const row = await db.get<RetentionRow>(SELECT)
      return row && toRetentionState(row)
    },
    async save({ timeMs, clockMs, doubt, cutoffMs, completedAtMs = null }) {
      await db.run(REPLACE, timeMs, clockMs, doubt?.offMs ?? null, doubt?.waitedMs ?? null, cutoffMs, completedAtMs)
    },
  }
}
