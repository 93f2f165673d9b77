/** Reads a day again on a thread of its own: a large one takes seconds. */
import { parentPort, workerData } from 'node:worker_threads'
import { lowerPriority } from '../../../lib/lower-priority.ts'
import type { Finding } from '../manifest/examine-day.ts'
import { type CheckData, checkAgain } from './check-again.ts'

lowerPriority()

export interface CheckReport {
  /** Undefined: the day has no file any more. */
  readonly finding: Finding | undefined
}

const report: CheckReport = { finding: checkAgain(workerData as CheckData) }
parentPort?.postMessage(report)
