/** Reads that group the events of a day. */
import type { ClickHouse } from '../server/clickhouse.ts'

const READ_BUDGET_MS = 600_000
/** A shard puts groups beyond this on its disk. Less than half of what one query may use (deploy/clickhouse/users.xml). */
const GROUP_BYTES = 1_000_000_000
const QUERY_SIZE_MAX = 1 << 24

export function readGroups(clickHouse: ClickHouse, sql: string): Promise<readonly (readonly string[])[]> {
  return clickHouse.select(sql, {
    mustBeStrict: true,
    budgetMs: READ_BUDGET_MS,
    settings: {
      max_query_size: QUERY_SIZE_MAX,
      max_bytes_before_external_group_by: GROUP_BYTES,
      // Not distributed_aggregation_memory_efficient: with it, 18.16 answers with no rows when memory runs out while groups are merged.
      distributed_aggregation_memory_efficient: 0,
    },
  })
}
