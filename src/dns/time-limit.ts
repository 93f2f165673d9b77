/** A signal that aborts with another one, after some time, or when its owner says so, and leaves nothing behind. */

export interface TimeLimit extends Disposable {
  readonly signal: AbortSignal
  /** Ends whatever still runs under the signal. Disposing does the same. */
  readonly abort: () => void
}

/** Without `timeoutMs` it ends with `signal` or by its owner. */
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
