/** Copies the data folder on a thread of its own, with a lower priority than those that serve. */
import { parentPort, workerData } from 'node:worker_threads'
import { AppError, type ErrorCode } from '../../../../lib/app-error.ts'
import { systemClock } from '../../../../lib/clock.ts'
import { lowerPriority } from '../../../../lib/lower-priority.ts'
import type { BackupProgress } from '../../../storage.ts'
import { isStorageFailure } from '../../database/storage-failure.ts'
import { type CopiedFolder, type CopyTask, copyFolder } from './copy-folder.ts'

export type ThreadMessage =
  | { readonly progress: BackupProgress }
  | { readonly copied: CopiedFolder }
  /** Errors lose their class between threads. */
  | { readonly refusal: { readonly code: ErrorCode; readonly message: string } }

lowerPriority()

const send = (message: ThreadMessage) => parentPort?.postMessage(message)
try {
  send({ copied: await copyFolder(workerData as CopyTask, systemClock, (progress) => send({ progress })) })
} catch (error) {
  const refusal = toRefusal(error)
  if (!refusal) throw error
  send({ refusal: { code: refusal.code, message: refusal.message } })
}

function toRefusal(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error
  if (!isStorageFailure(error) || !(error instanceof Error)) return undefined
  return new AppError('storage_unavailable', `The backup cannot be written: ${error.message}`)
}
