/** `backup.json`, written last: the files of a backup with their sizes and hashes. A folder without it is not a complete backup. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../lib/app-error.ts'
import type { BackupProblem } from '../../storage.ts'

export const MANIFEST_FILE = 'backup.json'

const FORMAT = 1
/** That of ten years of days is about a megabyte. */
const BYTES_MAX = 64 * 1024 * 1024

/** Everything that a backup may contain. A manifest with any other path is not ours, or damaged. */
const PATHS =
  /^(control\.db|master\.key|events\/\d{4}-\d\d-\d\d\.db|tracking\/\d{1,20}\.(open|settled)|(tail|aside)\/\w[\w.-]{0,200})$/

export interface BackupFile {
  /** Below the backup, such as events/2026-01-15.db. */
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** When the copy was last written, in nanoseconds. A backup whose file was changed afterwards is not used for the next one. */
  readonly modified: string
  /** In a day's file: its events, and its last arrival number. */
  readonly events?: number
  readonly arrival?: number
  /** The state of the original, if it can be recognized as unchanged: see file-state.ts. */
  readonly state?: string
}

export type FileDetails = Pick<BackupFile, 'events' | 'arrival' | 'state'>

export interface BackupManifest {
  readonly format: typeof FORMAT
  /** The id of the installation. */
  readonly installation: string
  readonly startedAt: string
  readonly finishedAt: string
  /** The id of the secret that a restore needs. */
  readonly secret?: { readonly id: string; readonly isIncluded: boolean }
  readonly files: readonly BackupFile[]
  readonly problems: readonly BackupProblem[]
}

/** Durable when it returns, except for its name. */
export function writeManifest(folder: string, manifest: Omit<BackupManifest, 'format'>): void {
  const text = JSON.stringify({ format: FORMAT, ...manifest }, null, 1)
  writeFileSync(join(folder, MANIFEST_FILE), `${text}\n`, { mode: 0o600, flush: true, flag: 'wx' })
}

/** Throws AppError `conflict` if the folder is not a complete backup that this version can restore. */
export function readManifest(folder: string): BackupManifest {
  const path = join(folder, MANIFEST_FILE)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) {
    throw new AppError('conflict', `${folder} is not a complete backup: it contains no ${MANIFEST_FILE}.`)
  }
  if (found.size > BYTES_MAX) throw damaged(path, `it has ${found.size} bytes`)
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw damaged(path, error instanceof Error ? error.message : String(error))
  }
  const { format } = (value ?? {}) as { readonly format?: unknown }
  if (typeof format === 'number' && format > FORMAT) {
    throw new AppError(
      'conflict',
      `${folder} was written by a newer version of Envelog (format ${format}, this version knows ${FORMAT}).`,
    )
  }
  if (!isManifest(value)) throw damaged(path, 'fields are missing or invalid')
  return value
}

function isManifest(value: unknown): value is BackupManifest {
  const { format, startedAt, finishedAt, installation, files, problems, secret } = (value ??
    {}) as Partial<BackupManifest>
  const texts = [startedAt, finishedAt, installation]
  if (format !== FORMAT || !Array.isArray(files) || !Array.isArray(problems)) return false
  if (secret !== undefined && typeof secret?.id !== 'string') return false
  if (!texts.every((text) => typeof text === 'string') || !files.every(isFile)) return false
  const paths = new Set(files.map(({ path }) => path))
  return paths.size === files.length && paths.has('control.db')
}

function isFile(file: BackupFile | null): boolean {
  const { path = '', bytes = -1, sha256 = '' } = file ?? {}
  return PATHS.test(path) && Number.isSafeInteger(bytes) && bytes >= 0 && /^[0-9a-f]{64}$/.test(sha256)
}

function damaged(path: string, reason: string): AppError {
  return new AppError('conflict', `${path} is damaged: ${reason}. Use another backup.`)
}
