/** Backups of the data folder while the server runs: a thread of its own copies, then the secret is added, then the manifest. */

import { readdirSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../lib/app-error.ts'
import { type Clock, toIsoTime } from '../../../lib/clock.ts'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { BackupReport, BackupRequest, LastBackup } from '../../storage.ts'
import type { Database } from '../database/database.ts'
import { type BackupFolder, type CompleteBackup, finalNameOf, openBackupFolder } from './backup-folder.ts'
import { type BackupFile, writeManifest } from './backup-manifest.ts'
import type { CopiedFolder, CopyTask } from './copying/copy-folder.ts'
import type { ThreadMessage } from './copying/copying-thread.ts'
import { hashFile, syncFolder } from './hashed-copy.ts'
import { readLastBackup, writeLastBackup } from './last-backup.ts'

export interface BackupsOptions {
  readonly dataDir: string
  readonly control: Database
  readonly clock: Clock
}

interface AddedSecret {
  readonly secret?: { readonly id: string; readonly isIncluded: boolean }
  readonly files: readonly BackupFile[]
}

export class Backups {
  readonly #options: BackupsOptions
  #last: LastBackup | undefined
  #thread: Worker | undefined
  #isClosed = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(options: BackupsOptions) {
    this.#options = options
    this.#last = readLastBackup(options.dataDir)
  }

  get last(): LastBackup | undefined {
    return this.#last
  }

  /**
   * One at a time. Throws AppError: `conflict` for a folder that must not be used, `storage_unavailable` if it cannot be written.
   * Then nothing of this backup is left, and the earlier ones are as they were.
   */
  run(request: BackupRequest): Promise<BackupReport> {
    const running = this.#run(request)
    this.#running = running.catch(() => undefined)
    return running
  }

  /** Ends a running backup. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread?.terminate()
    await this.#running
  }

  async #run(request: BackupRequest): Promise<BackupReport> {
    const { dataDir, control, clock } = this.#options
    const startedMs = performance.now()
    const startedAtMs = clock()
    const installation = control.get<{ id: string }>('SELECT id FROM installation')?.id ?? ''
    const folder = openBackupFolder(dataDir, request.folder)
    const base = folder.findNewest()
    requireSameInstallation(request.folder, base, installation)
    await folder.removeDrafts()
    const draft = folder.createDraft(startedAtMs)
    let written: Omit<BackupReport, 'removed'>
    try {
      const copied = await this.#copy({ dataDir, installation, draft, base }, request)
      const { secret, files: added } = await addSecret(draft, request)
      const files = [...copied.files, ...added]
      const { copiedBytes, problems } = copied
      const times = { startedAt: toIsoTime(startedAtMs), finishedAt: toIsoTime(clock()) }
      writeManifest(draft, { installation, ...times, ...(secret && { secret }), files, problems })
      syncFolders(draft)
      const path = folder.complete(draft)
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
      const paths = files.map((file) => join(path, file.path))
      written = { folder: path, files: paths, bytes, copiedBytes, problems, ...(secret && { secret }) }
    } catch (error) {
      // If that fails too, the next backup removes it.
      await rm(draft, { recursive: true, force: true }).catch(() => undefined)
      throw error
    }
    const { bytes, problems } = written
    const durationMs = Math.round(performance.now() - startedMs)
    this.#last = { folder: written.folder, finishedAtMs: clock(), durationMs, bytes, problems: problems.length }
    writeLastBackup(dataDir, this.#last)
    return { ...written, removed: await prune(folder, request, installation, written) }
  }

  async #copy(task: CopyTask, { folder, onProgress }: BackupRequest): Promise<CopiedFolder> {
    const stopped = new AppError('storage_unavailable', `The backup to ${folder} was stopped: nothing of it was kept.`)
    if (this.#isClosed) throw stopped
    const { promise, resolve, reject } = Promise.withResolvers<CopiedFolder>()
    const thread = new Worker(new URL('./copying/copying-thread.ts', import.meta.url), {
      workerData: task,
      resourceLimits: youngGenerationOf(),
    })
    this.#thread = thread
    const final = finalNameOf(task.draft)
    thread.on('message', (message: ThreadMessage) => {
      if ('copied' in message) resolve(message.copied)
      else if ('refusal' in message) reject(new AppError(message.refusal.code, message.refusal.message))
      else onProgress?.({ ...message.progress, file: join(final, message.progress.file) })
    })
    thread.on('error', reject)
    thread.on('exit', () => reject(stopped))
    try {
      return await promise
    } finally {
      this.#thread = undefined
      // It must have closed its files before they are removed.
      await thread.terminate()
    }
  }
}

function requireSameInstallation(path: string, base: CompleteBackup | undefined, installation: string): void {
  if (!base || base.manifest.installation === installation) return
  throw new AppError(
    'conflict',
    `${path} contains backups of another installation: choose a folder of its own for each.`,
  )
}

async function addSecret(draft: string, request: BackupRequest): Promise<AddedSecret> {
  const added = await request.addSecret?.(draft)
  if (!added) return { files: [] }
  const { id, file } = added
  if (file === undefined) return { secret: { id, isIncluded: false }, files: [] }
  const modified = statSync(file, { bigint: true }).mtimeNs.toString()
  const path = relative(draft, file)
  request.onProgress?.({ file: join(finalNameOf(draft), path), isDone: true, bytes: 0, bytesTotal: 0 })
  return { secret: { id, isIncluded: true }, files: [{ path, ...hashFile(file), modified }] }
}

/** Not after a backup with problems: an earlier one may have the last good copy of a day. */
async function prune(
  folder: BackupFolder,
  { keep }: BackupRequest,
  installation: string,
  { folder: newest, problems }: Pick<BackupReport, 'folder' | 'problems'>,
): Promise<readonly string[]> {
  if (keep === undefined || problems.length > 0) return []
  try {
    return await folder.prune(keep, installation)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const words = `The backup ${newest} is complete, but earlier ones cannot be removed: ${reason}`
    throw new AppError('storage_unavailable', words, { cause: error })
  }
}

/** Makes the names of all files durable. */
function syncFolders(draft: string): void {
  for (const entry of readdirSync(draft, { withFileTypes: true })) {
    if (entry.isDirectory()) syncFolder(join(draft, entry.name))
  }
  syncFolder(draft)
}
