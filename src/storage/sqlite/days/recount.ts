/** Counts all events again and compares with the statistics, while the service runs. */

import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { youngGenerationOf } from '../../../lib/heap-limits.ts'
import type { DayTrouble } from '../../storage.ts'
import { describeTrouble } from '../troubles/troubled-day.ts'
import type { RecountData, RecountReport } from './recount-thread.ts'

export interface RecountOptions {
  /** Days that are set aside: each is a finding, and not counted. */
  readonly setAside: readonly DayTrouble[]
  readonly onProgress?: ((day: string) => void) | undefined
  /** The file of a day is damaged. */
  readonly onDamage?: (trouble: DayTrouble) => void
  /** The history index is wrong. */
  readonly onHistoryLost?: () => void
}

export async function recount(dataDir: string, options: RecountOptions): Promise<string[]> {
  const { setAside, onProgress, onDamage, onHistoryLost } = options
  const data: RecountData = { dataDir, setAside: setAside.map(({ day }) => day) }
  const worker = new Worker(new URL('./recount-thread.ts', import.meta.url), {
    workerData: data,
    resourceLimits: youngGenerationOf(),
  })
  const differences = setAside.map(describeTrouble)
  worker.on('message', (report: RecountReport) => {
    if ('historyDifference' in report) {
      differences.push(`history index: ${report.historyDifference}. It will be rebuilt.`)
      onHistoryLost?.()
      return
    }
    const { day, differences: ofDay, trouble } = report
    differences.push(...ofDay)
    if (trouble) onDamage?.(trouble)
    onProgress?.(day)
  })
  // Rejects with what the thread threw.
  await once(worker, 'exit')
  return differences
}
