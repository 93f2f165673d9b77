/** Waits for the index of closed days, which is built in the background. */
import type { HistoryProgress, Storage } from '../../../src/storage/storage.ts'

export function untilHistory(
  { capabilities: { history } }: Storage,
  isWanted: (progress: HistoryProgress) => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const watching = history?.watch((progress) => {
    if (isWanted(progress)) resolve()
  })
  if (history?.remaining !== undefined && isWanted({ remaining: history.remaining })) resolve()
  return promise.finally(() => watching?.[Symbol.dispose]())
}

/** Until it has all closed days. */
export function untilSummarized(storage: Storage): Promise<void> {
  return untilHistory(storage, (progress) => 'remaining' in progress && progress.remaining === 0)
}
