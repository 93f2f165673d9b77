/** Repairs one day while the service runs: the day is set aside, rebuilt into a new file, and taken back. */

import { once } from 'node:events'
import { basename } from 'node:path'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../../lib/app-error.ts'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { DayRepair, DayTrouble } from '../../storage.ts'
import type { Day } from '../days/day.ts'
import type { DayFiles } from '../days/day-files.ts'
import { swapIn } from './day-swap.ts'
import type { RebuiltDay } from './rebuild-day.ts'
import type { RepairData, RepairReport } from './repair-thread.ts'

/** The rest of the service, as far as a repair concerns it. */
export interface RepairedService {
  readonly dataDir: string
  readonly files: DayFiles
  /** Resolves when no thread has the day open, nor opens it. */
  readonly setAside: (day: Day) => Promise<void>
  /** To be called when the day has another file. */
  readonly takeBack: (day: Day) => Promise<void>
  /** Aborts when the service closes: the folder may have another owner then. */
  readonly signal: AbortSignal
}

/** Throws AppError `not_found` without a file, `storage_unavailable` if the new one cannot be written. */
export async function repairDay(
  service: RepairedService,
  day: Day,
  onProgress: (percent: number) => void = () => undefined,
): Promise<DayRepair> {
  const { dataDir, files } = service
  const path = files.path(day)
  if (!files.listAll().includes(day)) throw new AppError('not_found', `${day} has no file that could be repaired.`)
  await service.setAside(day)
  // It stays set aside if anything fails. Drafts are removed by the next start.
  const draft = `${path}.repair.draft`
  const rebuilt = await rebuild({ dataDir, day, draft }, onProgress, service.signal)
  const kept = swapIn(path, draft)
  await service.takeBack(day)
  const { saved, lost, lostByHour, damagedPages, lostTables } = rebuilt
  return { day, saved, lost, lostByHour, damagedPages, lostTables, keptAs: basename(kept) }
}

/** Throws AppError `conflict`: what is readable but not ours must not become ours by a repair. */
export function requireRepairable(trouble: DayTrouble | undefined): void {
  if (trouble?.kind !== 'foreign' && trouble?.kind !== 'newer') return
  throw new AppError('conflict', `${trouble.day} is not damaged: ${trouble.detail}`)
}

async function rebuild(
  data: RepairData,
  onProgress: (percent: number) => void,
  signal: AbortSignal,
): Promise<RebuiltDay> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./repair-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: youngGenerationOf(),
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  let rebuilt: RebuiltDay | undefined
  let refusal: AppError | undefined
  worker.on('message', (message: RepairReport) => {
    if ('rebuilt' in message) rebuilt = message.rebuilt
    else if ('refusal' in message) refusal = new AppError(message.refusal.code, message.refusal.message)
    else onProgress(message.percent)
  })
  try {
    // Rejects with what the thread threw.
    await once(worker, 'exit')
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (signal.aborted) {
    throw new AppError(
      'storage_unavailable',
      `The repair of ${data.day} was interrupted. Nothing was changed; repeat it.`,
    )
  }
  if (refusal) throw refusal
  if (!rebuilt) throw new Error('the repair ended without a result')
  return rebuilt
}
