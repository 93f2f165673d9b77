/** `last-backup.json` in the data folder: when the last backup succeeded, for the metrics. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LastBackup } from '../../storage.ts'

const FILE = 'last-backup.json'

/** Undefined if there was none, or the file is damaged. */
export function readLastBackup(dataDir: string): LastBackup | undefined {
  try {
    const value = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as LastBackup
    const numbers = [value.finishedAtMs, value.durationMs, value.bytes, value.problems]
    return numbers.every(Number.isFinite) && typeof value.folder === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

export function writeLastBackup(dataDir: string, last: LastBackup): void {
  const draft = join(dataDir, `${FILE}.new`)
  writeFileSync(draft, JSON.stringify(last), { mode: 0o600, flush: true })
  renameSync(draft, join(dataDir, FILE))
}
