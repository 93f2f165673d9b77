/** Starts attempts one after another without waiting for slow ones: the first good result wins and aborts the rest. */
import { limitTime } from './time-limit.ts'

export interface FirstGood<I, R> {
  /** Absent if none was good. */
  readonly good?: R
  /** The other results, in order of arrival. */
  readonly others: readonly R[]
  /** Attempts that started before the good one and had not finished. */
  readonly overtaken: readonly I[]
}

/**
 * The next attempt starts when one has failed, or after `staggerMs`. Attempts never reject, and stop when their signal
 * aborts; none is running when this resolves.
 */
export async function findFirstGood<I extends object, R>(
  items: readonly I[],
  attempt: (item: I, signal: AbortSignal) => Promise<R>,
  isGood: (result: R) => boolean,
  staggerMs: number,
  signal: AbortSignal,
): Promise<FirstGood<I, R>> {
  using limit = limitTime(signal)
  const others: R[] = []
  const pending = new Set<I>()
  const running: Promise<void>[] = []
  const first = Promise.withResolvers<FirstGood<I, R>>()
  let timer: NodeJS.Timeout | undefined

  const startNext = (): void => {
    clearTimeout(timer)
    const item = items[running.length]
    if (!item || limit.signal.aborted) return
    timer = setTimeout(startNext, staggerMs)
    pending.add(item)
    running.push(attempt(item, limit.signal).then((result) => settle(item, result), first.reject))
  }
  const settle = (item: I, result: R): void => {
    const before = [...pending].slice(0, [...pending].indexOf(item))
    pending.delete(item)
    if (isGood(result)) {
      first.resolve({ good: result, others: [...others], overtaken: before })
      return
    }
    others.push(result)
    startNext()
    if (pending.size === 0) first.resolve({ others, overtaken: [] })
  }

  startNext()
  if (running.length === 0) return { others, overtaken: [] }
  try {
    return await first.promise
  } finally {
    clearTimeout(timer)
    limit.abort()
    await Promise.all(running)
  }
}
