/**
 * Replaces the file of a day by a repaired one, and keeps the damaged one beside it, as `YYYY-MM-DD.db.damaged-1`. A crash at any
 * point leaves either the damaged file under its own name, or the repaired one: the next start undoes a replacement that was
 * interrupted.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** `2026-03-01.db.damaged-2`. */
const KEPT = /^(.+\.db)\.damaged-(\d+)$/

/** `repaired`: closed and flushed. Nobody may have the day open. Returns where the damaged file is now. */
export function swapIn(path: string, repaired: string): string {
  const kept = `${path}.damaged-${lastKept(path) + 1}`
  // The database first: its WAL means nothing without it, but a repaired one with the WAL of the damaged one would be destroyed.
  renameSync(path, kept)
  // Readers leave an empty one.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) renameSync(`${path}-wal`, `${kept}-wal`)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  sync(dirname(path))
  renameSync(repaired, path)
  sync(dirname(path))
  return kept
}

/** To be called before the days are listed: a day without a file that was being replaced gets its own back. */
export function undoInterruptedSwaps(folder: string): void {
  for (const name of new Set(readdirSync(folder).flatMap((kept) => KEPT.exec(kept)?.[1] ?? []))) {
    const path = join(folder, name)
    if (existsSync(path)) continue
    const kept = `${path}.damaged-${lastKept(path)}`
    if (existsSync(`${kept}-wal`)) renameSync(`${kept}-wal`, `${path}-wal`)
    renameSync(kept, path)
    sync(folder)
  }
}

/** The damaged files of a day, which go when the day goes. */
export function removeKept(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(path)}.damaged-`)) rmSync(join(folder, name), { force: true })
  }
}

function lastKept(path: string): number {
  const numbers = readdirSync(dirname(path)).map((name) => {
    const [, ofDay, number] = KEPT.exec(name) ?? []
    return ofDay === basename(path) ? Number(number) : 0
  })
  return Math.max(0, ...numbers)
}

/** Makes the renaming durable. */
function sync(folder: string): void {
  const opened = openSync(folder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
