/** Tables of schema 1, which no release has made, have columns that this version neither reads nor writes. */
import { AppError } from '../../../lib/app-error.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { Members } from '../upkeep/members.ts'

/** One of the columns that `details` replaced, see docs/decisions/0070. */
const REPLACED = 'retry_after'

/**
 * Throws AppError `conflict` if a member has such a table, whatever version the schema claims to have. To be called before anything is changed:
 * members that do not answer stop a migration later, with their names.
 */
export async function requireKnownColumns(clickHouse: ClickHouse): Promise<void> {
  const members = await Members.list(clickHouse)
  const found = await members.ask('columns', 'name', `table = 'event' AND name = '${REPLACED}'`, 'some')
  if (found.size === 0) return
  throw new AppError(
    'conflict',
    `The tables in the ClickHouse database ${clickHouse.database} were made by a version before 1.0.0 and cannot be migrated. Continue with that version, or use new databases for this one (ENVELOG_CLICKHOUSE_DATABASE, ENVELOG_POSTGRES_URL). Nothing was changed.`,
  )
}
