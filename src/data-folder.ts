/** The data folder of this machine: whether it can be used, and why not. */
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config/options.ts'
import { AppError } from './lib/app-error.ts'
import { CONTROL_FILE } from './storage/sqlite/control/control-file.ts'
import { FolderLockedError, LOCK_FILE } from './storage/sqlite/database/data-folder-lock.ts'
import * as sqlite from './storage/sqlite/manifest/adopt-events.ts'

/** Continues with a control.db that is older than the events. Throws AppError `conflict` if that is not safe. */
export function adoptEvents(config: Config): sqlite.Adoption {
  const { dataDir } = config
  if (config.storage !== 'sqlite') {
    throw new AppError('conflict', 'This is for the data folder of an installation with ENVELOG_STORAGE=sqlite.')
  }
  try {
    requireOwnFolder(config)
    return sqlite.adoptEvents(dataDir)
  } catch (error) {
    throw folderProblem(dataDir, error) ?? error
  }
}

/** Whether opening failed because another process is using the data folder. */
export function isFolderLocked(error: unknown): boolean {
  return error instanceof FolderLockedError
}

/**
 * Whether there is data: in the folder, or in databases, whose schema says so. True if that cannot be determined: opening it then
 * reports the problem.
 */
export function hasData({ dataDir, storage }: Config): boolean {
  if (storage !== 'sqlite') return true
  try {
    return statSync(join(dataDir, CONTROL_FILE), { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** Files that root creates in another user's folder lock that user's server out: it could not write the day, nor restart. */
export function requireOwnFolder({ dataDir, storage }: Config): void {
  if (process.geteuid?.() !== 0) return
  const file = storage === 'sqlite' ? CONTROL_FILE : LOCK_FILE
  const owner = statSync(join(dataDir, file), { throwIfNoEntry: false })?.uid ?? 0
  if (owner === 0) return
  throw new AppError(
    'conflict',
    `The data folder ${dataDir} belongs to another user (uid ${owner}). Run this command as that user, for example with sudo -u '#${owner}'.`,
  )
}

const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it. Change its owner or permissions',
  EPERM: 'this user may not read or write it. Change its owner or permissions',
  EROFS: 'its file system is read-only. Mount it read-write',
  ENOTDIR: 'a part of the path is a file. Move the file',
  EEXIST: 'it is a file. Move the file',
  ENOSPC: 'the disk is full. Free some space',
}

/** By the primary result code of SQLite (the low byte of `errcode`). */
const SQLITE_PROBLEMS: Readonly<Record<number, string>> = {
  8: 'this user cannot write to a file in it. Change its owner or permissions',
  11: 'a file in it is damaged. Restore it from a backup',
  13: 'the disk is full. Free some space',
  14: 'this user cannot open a file in it. Change its owner or permissions',
  26: 'a file in it is not an Envelog database. Restore it from a backup',
}

/** Explains the usual problems and how to fix them; undefined for any other error. */
export function folderProblem(dataDir: string, error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined
  const problem =
    'errcode' in error
      ? (accessProblem(dataDir) ?? SQLITE_PROBLEMS[Number(error.errcode) & 0xff])
      : 'code' in error
        ? FOLDER_PROBLEMS[String(error.code)]
        : undefined
  if (problem === undefined) return undefined
  return new AppError(
    'storage_unavailable',
    `The data folder ${dataDir} cannot be used: ${problem}, or set ENVELOG_DATA_DIR to another folder.`,
    { cause: error },
  )
}

/** SQLite says only that a file cannot be opened or written: a file system that is read-only, or the permissions of the folder. */
function accessProblem(dataDir: string): string | undefined {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return FOLDER_PROBLEMS[String((error as NodeJS.ErrnoException).code)]
  }
}
