/** The secret of the installation: 32 random bytes in the data folder, created on first use, readable only by the owner. */
import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../app-error.ts'
import { makeFolder } from '../make-folder.ts'

export const MASTER_KEY_FILE = 'master.key'
const KEY_BYTES = 32

/** `hasData`: values are already sealed under a key, so creating a new one would only hide that it is lost. */
export function openMasterKey(dataDir: string, hasData = false): Buffer {
  makeFolder(dataDir)
  const path = join(dataDir, MASTER_KEY_FILE)
  const existing = readKey(path)
  if (existing) return existing
  if (hasData) {
    throw new AppError(
      'conflict',
      `${path} is missing, and the private keys in this folder cannot be read without it. Restore it from a backup.`,
    )
  }
  writeNewKey(path)
  const created = readKey(path)
  if (!created) throw new Error(`could not create ${path}`)
  return created
}

function readKey(path: string): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (bytes.length !== KEY_BYTES) {
    throw new AppError(
      'conflict',
      `${path} is damaged: it has ${bytes.length} bytes instead of ${KEY_BYTES}. Restore it from a backup.`,
    )
  }
  return bytes
}

/** Linked into place once complete, so that two processes that start at once agree, and a crash leaves no partial file. */
function writeNewKey(path: string): void {
  const draft = `${path}.${process.pid}.new`
  writeFileSync(draft, randomBytes(KEY_BYTES), { mode: 0o600, flush: true })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}
