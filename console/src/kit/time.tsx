/** A moment: as words or on the clock, with the exact time in both zones on hover. */
import { useEffect, useState } from 'react'
import { formatAgo, formatExact, formatUtc } from './format.ts'

export function Ago({ at }: { readonly at: string | number }) {
  // What has just happened is not in the future because the last look at the clock is half a minute old.
  const nowMs = Math.max(useNow(30_000), Date.now())
  const timeMs = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time dateTime={formatUtc(timeMs)} title={formatExact(timeMs)}>
      {formatAgo(timeMs, nowMs)}
    </time>
  )
}

/** Now, and again after each step. */
export function useNow(stepMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return nowMs
}
