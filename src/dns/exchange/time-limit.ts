/** A signal that aborts with another signal, after a timeout, or on request, and removes its listeners and timers. */

export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal
  /** Aborts the signal. Disposing does the same. */
  readonly abort: () => void
}

/** Without `timeoutMs` it aborts only with `signal` or on request. */
export function limitTime(signal: AbortSignal, timeoutMs?: number): TimeLimit {
  const controller = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(abort, timeoutMs)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })

  function abort(): void {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    controller.abort()
  }
  return { signal: controller.signal, abort, [Symbol.dispose]: abort }
}
