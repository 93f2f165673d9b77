/** Overwrites what deleted rows have left in the control file and its WAL. */
import type { Database } from '../database/database.ts'

/**
 * Half a second of the writing thread, about. A larger file has a large quarantine: its deleted rows are overwritten one by one
 * (secure_delete), which leaves only what pages have in their gaps.
 */
const REWRITTEN_BYTES_MAX = 64 * 2 ** 20

/** False while a reader has the WAL in use. */
export function scrubControl(control: Database): boolean {
  const bytes = control.number('PRAGMA page_count') * control.number('PRAGMA page_size')
  if (bytes <= REWRITTEN_BYTES_MAX) control.execute('VACUUM')
  return control.number('PRAGMA wal_checkpoint(TRUNCATE)') === 0
}
