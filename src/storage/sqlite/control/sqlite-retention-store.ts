/** The state of retention in SQLite: one row. */
import type { RetentionStore } from '../../../events/retention/retention-store.ts'
import { type RetentionRow, toRetentionState } from '../../rows/retention-row.ts'
import type { Database } from '../database/database.ts'

const SELECT = `
  SELECT time_ms AS timeMs, clock_ms AS clockMs, off_ms AS offMs, waited_ms AS waitedMs, cutoff_ms AS cutoffMs,
    completed_at_ms AS completedAtMs
  FROM retention`
const REPLACE = `
  INSERT OR REPLACE INTO retention (id, time_ms, clock_ms, off_ms, waited_ms, cutoff_ms, completed_at_ms)
  VALUES (1, ?, ?, ?, ?, ?, ?)`

export function createRetentionStore(db: Database): RetentionStore {
  return {
    async find() {
      const row = db.get<RetentionRow>(SELECT)
      return row && toRetentionState(row)
    },
    async save({ timeMs, clockMs, doubt, cutoffMs, completedAtMs = null }) {
      db.run(REPLACE, timeMs, clockMs, doubt?.offMs ?? null, doubt?.waitedMs ?? null, cutoffMs, completedAtMs)
    },
  }
}
