/** A file that says that the installation was moved out of this data folder: a server that wrote here would divide the log. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { syncFolder } from '../backup/hashed-copy.ts'

const FILE = 'moved.json'

/** Durable when it returns. */
export function markAsMoved(dataDir: string, nowMs: number): void {
  const draft = join(dataDir, `${FILE}.new`)
  const text = `${JSON.stringify({ movedAt: toIsoTime(nowMs), to: 'clickhouse' })}\n`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, join(dataDir, FILE))
  syncFolder(dataDir)
}

export function isMarkedAsMoved(dataDir: string): boolean {
  return existsSync(join(dataDir, FILE))
}

/** Throws AppError `conflict`. */
export function requireNotMoved(dataDir: string): void {
  const path = join(dataDir, FILE)
  if (!existsSync(path)) return
  const when = /"movedAt":"([^"]+)"/.exec(readFileSync(path, 'utf8'))?.[1] ?? 'an unknown time'
  throw new AppError(
    'conflict',
    `The installation in ${dataDir} was moved to ClickHouse at ${when}: set ENVELOG_STORAGE=clickhouse. To return to this folder, which has no event since then, delete ${path}.`,
  )
}
