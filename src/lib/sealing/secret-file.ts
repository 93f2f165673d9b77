/** Files that hold a secret of 32 bytes: for the owner only, complete or absent, durable before they are relied on. */
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../app-error.ts'

export const SECRET_BYTES = 32

/** Undefined if there is no such file. Throws AppError `conflict` for anything but a file of 32 bytes. */
export function readSecretFile(path: string): Buffer | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return undefined
  if (!found.isFile()) throw new AppError('conflict', `${path} is not a file: move it away.`)
  // By its size, so that a file of another kind is not read into memory.
  if (found.size !== SECRET_BYTES) {
    throw new AppError(
      'conflict',
      `${path} is damaged: it has ${found.size} bytes instead of ${SECRET_BYTES}. Restore it from a backup.`,
    )
  }
  return readFileSync(path)
}

/** Leaves a file that exists as it is, so that two processes that start at once agree. */
export function createSecretFile(path: string): void {
  const draft = writeDraft(path, randomBytes(SECRET_BYTES))
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  syncFolderOf(path)
}

export function replaceSecretFile(path: string, secret: Uint8Array): void {
  renameSecretFile(writeDraft(path, secret), path)
}

export function renameSecretFile(from: string, to: string): void {
  renameSync(from, to)
  syncFolderOf(to)
}

/** Under another name until it is complete: a crash leaves no partial file under the real one. */
function writeDraft(path: string, secret: Uint8Array): string {
  const draft = `${path}.${process.pid}.new`
  // A draft that a killed process with the same number left may have other permissions.
  rmSync(draft, { force: true })
  writeFileSync(draft, secret, { mode: 0o600, flush: true, flag: 'wx' })
  return draft
}

/** A new name survives a power cut only after this. */
function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
