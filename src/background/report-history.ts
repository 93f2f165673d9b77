/** Logs how far the history index is built: once when there is much to do, then now and then, and at the end. */
import type { Logger } from 'pino'
import type { HistoryProgress, Storage } from '../storage/storage.ts'

/** Days that are closed while the server runs are not worth a line. */
const MANY_DAYS = 10
const EVERY_MS = 10_000

export function reportHistory(
  { capabilities: { history } }: Pick<Storage, 'capabilities'>,
  logger: Logger,
): Disposable {
  let isBuilding = false
  let reportedMs = Number.NEGATIVE_INFINITY
  const report = (progress: HistoryProgress) => {
    if ('isLost' in progress) return logger.warn('the history index was damaged; it is built again')
    if ('failed' in progress) {
      return logger.warn(
        { day: progress.day, reason: progress.failed },
        'a day cannot be put into the history index; it is read from its file',
      )
    }
    const { remaining } = progress
    isBuilding ||= remaining >= MANY_DAYS
    if (!isBuilding) return
    if (remaining === 0) {
      isBuilding = false
      return logger.info('the history index is complete')
    }
    if (performance.now() - reportedMs < EVERY_MS) return
    reportedMs = performance.now()
    logger.info({ remaining }, 'building the history index; until then, questions about old days take longer')
  }
  if (history?.remaining !== undefined) report({ remaining: history.remaining })
  const watching = history?.watch(report)
  return { [Symbol.dispose]: () => watching?.[Symbol.dispose]() }
}
