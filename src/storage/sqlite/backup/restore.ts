/**
 * Restores a backup into an empty folder. Everything is first written and verified in a subfolder, then moved to its place. A
 * server refuses to start while that subfolder exists, so it finds all of the backup or none of it. An interrupted restore is
 * repeated or completed by the next one.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import { makeFolder } from '../../../lib/make-folder.ts'
import { PROGRAM } from '../../../lib/program-name.ts'
import { CONTROL_FILE } from '../control/control-file.ts'
import { LOCK_FILE, lockDataFolder } from '../database/data-folder-lock.ts'
import { findBackup } from './backup-folder.ts'
import { type BackupFile, type BackupManifest, MANIFEST_FILE } from './backup-manifest.ts'
import { copyHashed, type Hashed, hashFile, type OnBytes, syncFolder } from './hashed-copy.ts'

/** Everything until it is complete. */
const DRAFT = 'restore.partial'
/** In it, when all files are there and verified; contains the path of the backup. */
const VERIFIED = 'verified'
/** The subfolder without its files. */
const DONE = 'restore.done'

export interface RestoreProgress {
  readonly file: string
  readonly bytes: number
  readonly bytesTotal: number
}

export interface RestoredBackup {
  /** The backup. */
  readonly backup: string
  readonly manifest: BackupManifest
}

type OnProgress = (progress: RestoreProgress) => void

/** Reads every file of the backup and compares it with the manifest. Throws AppError `conflict` if one differs. */
export function checkBackup(path: string, onProgress: OnProgress = () => undefined): RestoredBackup {
  const { folder: backup, manifest } = findBackup(path)
  requireFiles(backup, manifest)
  const report = reporter(manifest, onProgress)
  for (const file of manifest.files) requireSame(backup, file, hashFile(join(backup, file.path), report(file)))
  return { backup, manifest }
}

/** Throws AppError `conflict` if the folder is not empty or in use, or the backup is damaged or not complete. */
export function restoreBackup(path: string, folder: string, onProgress: OnProgress = () => undefined): RestoredBackup {
  const { folder: backup, manifest } = findBackup(path)
  requireFiles(backup, manifest)
  requireEmpty(folder)
  makeFolder(folder)
  const lock = lockDataFolder(folder)
  try {
    // Again: before the lock was taken, a server may have begun to use it.
    requireEmpty(folder)
    const draft = join(folder, DRAFT)
    if (existsSync(join(draft, VERIFIED))) requireSameBackup(folder, backup)
    else writeDraft(draft, backup, manifest, onProgress)
    moveIntoPlace(draft, folder)
    return { backup, manifest }
  } finally {
    lock.release()
  }
}

/** Throws AppError `conflict` for a folder that a server must not use: a backup, or one that is being restored. */
export function requireNoBackup(dataDir: string): void {
  if (existsSync(join(dataDir, MANIFEST_FILE))) {
    throw new AppError(
      'conflict',
      `${dataDir} is a backup, which a server must not change. Restore it first: ${PROGRAM} restore ${dataDir} --to FOLDER`,
    )
  }
  if (existsSync(join(dataDir, DRAFT))) {
    throw new AppError('conflict', `The restore into ${dataDir} was interrupted. Run ${PROGRAM} restore again.`)
  }
}

/** Before anything is written: a backup with missing files is noticed at once. */
function requireFiles(backup: string, { files }: BackupManifest): void {
  for (const { path, bytes } of files) {
    const found = statSync(join(backup, path), { throwIfNoEntry: false })
    if (!found?.isFile()) throw damaged(backup, path, 'it is missing')
    if (found.size !== bytes) throw damaged(backup, path, `it has ${found.size} bytes instead of ${bytes}`)
  }
}

function requireSame(backup: string, { path, bytes, sha256 }: BackupFile, found: Hashed): void {
  if (found.bytes === bytes && found.sha256 === sha256) return
  throw damaged(backup, path, 'its content does not match the SHA-256 in the manifest')
}

function requireEmpty(folder: string): void {
  const found = statSync(folder, { throwIfNoEntry: false })
  if (!found) return
  if (!found.isDirectory()) throw new AppError('conflict', `${folder} is a file: choose a new or empty folder.`)
  const names = readdirSync(folder)
  // Once everything is verified, files are moved out of the subfolder.
  if (existsSync(join(folder, DRAFT, VERIFIED))) return
  const others = names.filter((name) => name !== DRAFT && !name.startsWith(LOCK_FILE) && name !== 'lost+found')
  if (others.length === 0) return
  throw new AppError(
    'conflict',
    `The folder ${folder} is not empty: a restore never overwrites data. Stop the server and move the folder away, or choose another one with --to.`,
  )
}

/** Another backup must not be mixed with files that were already moved. */
function requireSameBackup(folder: string, backup: string): void {
  const interrupted = readFileSync(join(folder, DRAFT, VERIFIED), 'utf8')
  if (interrupted === backup) return
  throw new AppError(
    'conflict',
    `An interrupted restore of ${interrupted} is in ${folder}: complete it with ${PROGRAM} restore ${interrupted}, or delete the folder.`,
  )
}

function writeDraft(draft: string, backup: string, manifest: BackupManifest, onProgress: OnProgress): void {
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  const report = reporter(manifest, onProgress)
  try {
    for (const file of manifest.files) {
      const to = join(draft, placeOf(file.path))
      mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
      requireSame(backup, file, copyHashed(join(backup, file.path), to, report(file)))
    }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
  for (const name of ['.', ...readdirSync(draft)]) {
    if (statSync(join(draft, name)).isDirectory()) syncFolder(join(draft, name))
  }
  writeFileSync(join(draft, VERIFIED), backup, { flush: true })
  syncFolder(draft)
}

/** What was set aside goes back to where it was found: the restored server sets it aside too, and it can be repaired there. */
function placeOf(path: string): string {
  return path.replace(/^aside\//, 'events/')
}

/** control.db last. Then the subfolder gets another name, which completes the restore. */
function moveIntoPlace(draft: string, folder: string): void {
  const names = readdirSync(draft).filter((name) => name !== VERIFIED)
  const others = names.filter((name) => name !== CONTROL_FILE)
  const last = names.filter((name) => name === CONTROL_FILE)
  for (const name of [...others, ...last]) renameSync(join(draft, name), join(folder, name))
  syncFolder(folder)
  renameSync(draft, join(folder, DONE))
  syncFolder(folder)
  rmSync(join(folder, DONE), { recursive: true })
}

/** For each file, a function that adds up the bytes read. */
function reporter({ files }: BackupManifest, onProgress: OnProgress): (file: BackupFile) => OnBytes {
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0)
  let done = 0
  return ({ path }) =>
    (bytes) => {
      done += bytes
      onProgress({ file: path, bytes: done, bytesTotal })
    }
}

function damaged(backup: string, path: string, reason: string): AppError {
  return new AppError(
    'conflict',
    `${join(backup, path)} is damaged: ${reason}. Nothing was restored; use another backup.`,
  )
}
