/** Whether the tables of a shard can be read strictly, which every write begins with. */
import type { ClickHouse } from '../server/clickhouse.ts'
import type { Deadline } from './deadline.ts'

/** Throws AppError `storage_unavailable` if not. */
export async function requireReadable(clickHouse: ClickHouse, shard: number, deadline: Deadline): Promise<void> {
  for (const table of ['event', 'event_hour', 'sending_hour'] as const) {
    await deadline.run((signal) =>
      clickHouse.selectOf(
        // A number that would be on this shard.
        [shard],
        ({ from, isThere }) => `SELECT count() FROM ${from(table)} WHERE domain = 0 AND ${isThere}`,
        { mustBeStrict: true, signal },
      ),
    )
  }
}
