/** Checks many domains, a few at a time. Waits as long as the server asks: it limits the checks of a tenant. */
import { ApiError } from '../../api/request.ts'

/** Half of what the server runs at a time for a tenant. */
const AT_ONCE = 4
const PAUSE_MS = 2000
/** A domain that fails this often in a row for other reasons than a limit is left out. */
const TRIES = 4

export interface Progress {
  readonly total: number
  readonly done: number
  /** Domains with a record that is missing or wrong, of those that are done. */
  readonly wrong: number
  /** Domains that could not be checked, of those that are done. */
  readonly failed: number
  /** Whether the server has asked to wait. */
  readonly isWaiting: boolean
}

export interface VerifyAllDeps {
  /** Returns whether the domain is verified. Throws ApiError. */
  readonly check: (name: string, signal: AbortSignal) => Promise<boolean>
  /** Resolves early if the signal aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
  readonly onProgress: (progress: Progress) => void
}

/** Resolves when all are done, or the signal aborts. */
export async function verifyAll(names: readonly string[], deps: VerifyAllDeps, signal: AbortSignal): Promise<void> {
  let progress: Progress = { total: names.length, done: 0, wrong: 0, failed: 0, isWaiting: false }
  const report = (change: Partial<Progress>) => {
    progress = { ...progress, ...change }
    if (!signal.aborted) deps.onProgress(progress)
  }
  report({})
  // All workers take names from the same iterator.
  const queue = names.values()
  const work = async () => {
    for (const name of queue) {
      const result = await checkPatiently(name, deps, signal, (isWaiting) => report({ isWaiting }))
      if (signal.aborted) return
      const { done, wrong, failed } = progress
      report({
        done: done + 1,
        wrong: wrong + Number(result === 'wrong'),
        failed: failed + Number(result === 'failed'),
        isWaiting: false,
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function checkPatiently(
  name: string,
  { check, pause }: VerifyAllDeps,
  signal: AbortSignal,
  onWaiting: (isWaiting: boolean) => void,
): Promise<'right' | 'wrong' | 'failed'> {
  for (let failures = 0; failures < TRIES && !signal.aborted; ) {
    try {
      return (await check(name, signal)) ? 'right' : 'wrong'
    } catch (error) {
      if (!(error instanceof ApiError) || ![0, 429, 503].includes(error.status)) return 'failed'
      if (error.status !== 429) failures++
      onWaiting(true)
      await pause(Math.max(error.retryAfterMs ?? 0, PAUSE_MS), signal)
    }
  }
  return 'failed'
}
