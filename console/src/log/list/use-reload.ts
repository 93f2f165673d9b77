/** Loads the list again for events that only it can show: once no more arrive for a moment, but not later than after some seconds. */
import { useEffect, useRef } from 'react'

const QUIET_MS = 500
const MAX_WAIT_MS = 5000

/** `wanted`: how many events need it. */
export function useReload(wanted: number, onReload: () => void): void {
  const reload = useRef(onReload)
  reload.current = onReload
  const sinceMs = useRef(0)
  useEffect(() => {
    if (wanted === 0) {
      sinceMs.current = 0
      return
    }
    sinceMs.current ||= performance.now()
    const waitMs = Math.min(QUIET_MS, sinceMs.current + MAX_WAIT_MS - performance.now())
    const timer = setTimeout(() => reload.current(), waitMs)
    return () => clearTimeout(timer)
  }, [wanted])
}
