/**
 * Replaces the file of a day by a repaired one, and keeps the damaged one beside it, as `YYYY-MM-DD.db.damaged-1`. A crash at any
 * point leaves either the damaged file under its own name, or the repaired one: the next start undoes a replacement that was
 * interrupted.
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeFile } from '../../../lib/remove-file.ts'
import { hasWal } from '../database/has-wal.ts'

/** `2026-03-01.db.damaged-2`. */
const KEPT = /^(.+\.db)\.damaged-(\d+)$/

/** `repaired`: closed and flushed. Nobody may have the day open. Returns where the damaged file is now. */
export function swapIn(path: string, repaired: string): string {
  const kept = `${path}.damaged-${lastKept(path) + 1}`
  // The database first: its WAL means nothing without it, but a repaired one with the WAL of the damaged one would be destroyed.
  renameSync(path, kept)
  if (hasWal(path)) renameSync(`${path}-wal`, `${kept}-wal`)
  for (const suffix of ['-wal', '-shm']) removeFile(path + suffix)
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

/** The damaged files of a day. Each may have a WAL. */
function listKept(path: string): readonly string[] {
  const folder = dirname(path)
  const names = readdirSync(folder).filter((name) => KEPT.exec(name)?.[1] === basename(path))
  return names.map((name) => join(folder, name))
}

/** Some of them; without `isConcerned` all, which go when the day goes. Returns those that were removed, durably. */
export function removeKept(path: string, isConcerned: (path: string) => boolean = () => true): readonly string[] {
  const removed: string[] = []
  for (const kept of listKept(path)) {
    const files = [kept, `${kept}-wal`].filter((file) => existsSync(file))
    if (!files.some(isConcerned)) continue
    for (const file of files) removeFile(file)
    removed.push(kept)
  }
  if (removed.length > 0) sync(dirname(path))
  return removed
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
