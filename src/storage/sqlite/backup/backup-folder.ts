/** A folder of backups: one subfolder for each, named by its time, in the order in which they were made. */
import { existsSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { type BackupManifest, MANIFEST_FILE, readManifest } from './backup-manifest.ts'
import { syncFolder } from './hashed-copy.ts'

const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/
/** Of a backup that is being written, or removed. */
const DRAFT = '.partial'
const SECOND_MS = 1000

export interface CompleteBackup {
  readonly folder: string
  readonly manifest: BackupManifest
}

export class BackupFolder {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  /** Paths of the backups with a manifest, oldest first. */
  list(): readonly string[] {
    const names = readdirSync(this.path).filter((name) => NAME.test(name))
    return names
      .sort()
      .map((name) => join(this.path, name))
      .filter((folder) => existsSync(join(folder, MANIFEST_FILE)))
  }

  /** Without those whose manifest cannot be read. */
  findNewest(): CompleteBackup | undefined {
    for (const folder of this.list().toReversed()) {
      try {
        return { folder, manifest: readManifest(folder) }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
      }
    }
    return undefined
  }

  /** The folder for a new backup, under a temporary name. Named after the newest even if the clock was set back. */
  createDraft(nowMs: number): string {
    const names = readdirSync(this.path).map((name) => name.replace(DRAFT, ''))
    const [newest] = names
      .filter((name) => NAME.test(name))
      .toSorted()
      .toReversed()
    const afterMs = newest === undefined ? nowMs : timeOf(newest) + SECOND_MS
    const draft = join(this.path, `${nameOf(Math.max(nowMs, afterMs))}${DRAFT}`)
    mkdirSync(draft, { mode: 0o700 })
    return draft
  }

  /** Gives a draft its name, durably. Everything in it must be durable. */
  complete(draft: string): string {
    const folder = finalNameOf(draft)
    renameSync(draft, folder)
    syncFolder(this.path)
    return folder
  }

  /** Removes the oldest backups of the installation, all but `keep`. Returns their paths. */
  async prune(keep: number, installation: string): Promise<readonly string[]> {
    const own = this.list().filter((folder) => isOf(folder, installation))
    const oldest = own.slice(0, Math.max(0, own.length - keep))
    for (const folder of oldest) {
      // An interrupted removal must not look like a backup.
      const draft = `${folder}${DRAFT}`
      renameSync(folder, draft)
      await rm(draft, { recursive: true, force: true })
    }
    return oldest
  }

  /** What interrupted backups and removals left. */
  async removeDrafts(): Promise<void> {
    for (const name of readdirSync(this.path)) {
      if (!name.endsWith(DRAFT) || !NAME.test(name.slice(0, -DRAFT.length))) continue
      await rm(join(this.path, name), { recursive: true, force: true })
    }
  }
}

/** The path that a draft gets when it is complete. */
export function finalNameOf(draft: string): string {
  return draft.slice(0, -DRAFT.length)
}

/** Creates it if it is missing. Throws AppError `conflict` for a folder that backups must not be written to. */
export function openBackupFolder(dataDir: string, path: string): BackupFolder {
  if (isInside(dataDir, path)) {
    throw new AppError(
      'conflict',
      `The folder ${path} is inside the data folder: choose another one, preferably on another disk.`,
    )
  }
  const found = statSync(path, { throwIfNoEntry: false })
  if (found && !found.isDirectory()) {
    throw new AppError('conflict', `${path} is a file: choose a folder for backups.`)
  }
  if (existsSync(join(path, MANIFEST_FILE))) {
    throw new AppError('conflict', `${path} is a backup: choose the folder that contains it, or another one.`)
  }
  if (existsSync(join(path, CONTROL_FILE))) {
    throw new AppError('conflict', `${path} is a data folder, or a copy of one: choose another folder for backups.`)
  }
  makeFolder(path)
  return new BackupFolder(path)
}

/** The backup in this folder, or the newest one if it is a folder of backups. Throws AppError `conflict` if there is none. */
export function findBackup(path: string): CompleteBackup {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) throw new AppError('not_found', `There is no folder ${path}.`)
  if (existsSync(join(path, MANIFEST_FILE))) return { folder: path, manifest: readManifest(path) }
  if (path.endsWith(DRAFT)) throw new AppError('conflict', `${path} is an unfinished backup.`)
  const newest = new BackupFolder(path).findNewest()
  if (newest) return newest
  throw new AppError('conflict', `${path} contains no complete backup (a folder with ${MANIFEST_FILE}).`)
}

function isOf(folder: string, installation: string): boolean {
  try {
    return readManifest(folder).installation === installation
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

function isInside(dataDir: string, path: string): boolean {
  const inside = relative(realpathSync(dataDir), realPathOf(resolve(path)))
  return !inside.startsWith('..') && !isAbsolute(inside)
}

/** Also of a folder that does not exist yet. */
function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realPathOf(dirname(path)), relative(dirname(path), path))
}

function nameOf(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replaceAll(':', '-')}Z`
}

function timeOf(name: string): number {
  return Date.parse(name.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z'))
}
