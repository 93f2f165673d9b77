/** Checks a domain again and again until it is verified. Pauses while the page is hidden, and ends with it. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../../api/request.ts'
import { watchDelay } from './watch-delays.ts'

export interface DnsWatch {
  /** `over`: stopped by the reader, refused by the server, or after the last check. */
  readonly state: 'off' | 'waiting' | 'checking' | 'over'
  /** When the next check begins, while waiting. */
  readonly nextAtMs: number | undefined
  readonly stop: () => void
  readonly resume: () => void
}

interface WatchedCheck {
  readonly mutate: () => void
  readonly isPending: boolean
  readonly error: Error | null
}

/** Refusals that another attempt does not change. */
const FINAL: readonly number[] = [400, 401, 403, 404]

/** `isWanted`: false for a verified domain, and one that only fails at the moment: a check that is asked for could end its verification. */
export function useDnsWatch(isWanted: boolean, check: WatchedCheck): DnsWatch {
  const [checks, setChecks] = useState(0)
  const [isStopped, setStopped] = useState(false)
  const [nextAtMs, setNextAtMs] = useState<number>()
  const isVisible = useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'visible')
  const { isPending, error, mutate } = check
  const isRefused = error instanceof ApiError && FINAL.includes(error.status)
  const delay = watchDelay(checks)
  const isOver = isStopped || isRefused || delay === undefined
  const isWaiting = isWanted && isVisible && !isOver && !isPending
  useEffect(() => {
    if (!isWaiting || delay === undefined) return
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
    const wait = Math.max(delay, asked)
    setNextAtMs(Date.now() + wait)
    const timer = setTimeout(() => {
      setChecks((count) => count + 1)
      mutate()
    }, wait)
    return () => clearTimeout(timer)
  }, [isWaiting, delay, error, mutate])
  return {
    state: !isWanted ? 'off' : isPending ? 'checking' : isOver ? 'over' : 'waiting',
    nextAtMs: isWaiting ? nextAtMs : undefined,
    stop: () => setStopped(true),
    resume: () => {
      setStopped(false)
      setChecks(0)
      mutate()
    },
  }
}

function onVisibilityChange(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}
