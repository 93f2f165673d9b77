/** How many events a day has, from its counters. */
import type { Database } from '../database/database.ts'

/** Erased ones still count, see erased-counts.ts. The number of arrivals would also include those that a repair could not save. */
export function countStored(db: Database): number {
  const sum = (table: string) => db.number(`SELECT ifnull(sum(count), 0) FROM ${table}`)
  const hasErased = db.number("SELECT count(*) FROM sqlite_schema WHERE name = 'erased_per_hour'") > 0
  return sum('counter') - (hasErased ? sum('erased_per_hour') : 0)
}
