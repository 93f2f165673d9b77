/** Counts all events again and compares with the statistics, while the service runs. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { RecountedDay } from './recount-thread.ts'

export async function recount(dataDir: string, onProgress: (day: string) => void = () => undefined): Promise<string[]> {
  const worker = new Worker(new URL('./recount-thread.ts', import.meta.url), { workerData: { dataDir } })
  const differences: string[] = []
  worker.on('message', (counted: RecountedDay) => {
    differences.push(...counted.differences)
    onProgress(counted.day)
  })
  // Rejects with what the thread threw.
  await once(worker, 'exit')
  return differences
}
