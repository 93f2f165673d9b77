/** The state of retention in SQLite: one row. */
import type { RetentionStore } from '../../../events/retention/retention-store.ts'
import type { Database } from '../database/database.ts'

type Row = {
  timeMs: number
  clockMs: number
  offMs: number | null
  waitedMs: number | null
  cutoffMs: number
  completedAtMs: number | null
}

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
      const row = db.get<Row>(SELECT)
      if (!row) return undefined
      const { timeMs, clockMs, offMs, waitedMs, cutoffMs, completedAtMs } = row
      return {
        timeMs,
        clockMs,
        cutoffMs,
        ...(offMs !== null && waitedMs !== null && { doubt: { offMs, waitedMs } }),
        ...(completedAtMs !== null && { completedAtMs }),
      }
    },
    async save({ timeMs, clockMs, doubt, cutoffMs, completedAtMs = null }) {
      db.run(REPLACE, timeMs, clockMs, doubt?.offMs ?? null, doubt?.waitedMs ?? null, cutoffMs, completedAtMs)
    },
  }
}
