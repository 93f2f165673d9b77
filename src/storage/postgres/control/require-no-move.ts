/** Keeps servers away from a database into which an installation is being moved: they would serve a part of it, and write to it. */

import { AppError } from '../../../lib/app-error.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import type { Statements } from '../database/postgres.ts'

/** Throws AppError `conflict`. */
export async function requireNoMove(db: Statements): Promise<void> {
  const unfinished = await db.number('SELECT count(*) FROM move WHERE finished_at_ms IS NULL')
  if (unfinished === 0) return
  throw new AppError(
    'conflict',
    `An installation is being moved into this PostgreSQL database, and the move is not finished. Finish it first: ${PROGRAM} migrate-storage --from sqlite --to clickhouse --folder FOLDER, with the data folder of the old server.`,
  )
}
