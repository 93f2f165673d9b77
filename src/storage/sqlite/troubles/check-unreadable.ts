/** The serving side of the thread that reads an unreadable day again. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { Finding } from '../manifest/examine-day.ts'
import type { CheckData } from './check-again.ts'
import type { CheckReport } from './checking-thread.ts'

/** Undefined if the day has no file any more. Throws what the thread threw, and if the signal aborts. */
export async function checkUnreadable(data: CheckData, signal: AbortSignal): Promise<Finding | undefined> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./checking-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: youngGenerationOf(),
  })
  const stop = () => void worker.terminate()
  signal.addEventListener('abort', stop, { once: true })
  let report: CheckReport | undefined
  worker.on('message', (message: CheckReport) => {
    report = message
  })
  try {
    await once(worker, 'exit')
  } finally {
    signal.removeEventListener('abort', stop)
  }
  if (!report) throw new Error('the check ended without a result')
  return report.finding
}
