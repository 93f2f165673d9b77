/** Relative times that stay current, with the exact time in the local zone and in UTC on hover. */
import { useEffect, useState } from 'react'
import { formatAgo, formatExact, formatUtc } from './format.ts'

export function Ago({ at }: { readonly at: string | number }) {
  // useNow lags by up to 30 s; without this, an event from just now would be in the future.
  const nowMs = Math.max(useNow(30_000), Date.now())
  const timeMs = typeof at === 'number' ? at : Date.parse(at)
  return (
    <time dateTime={formatUtc(timeMs)} title={formatExact(timeMs)}>
      {formatAgo(timeMs, nowMs)}
    </time>
  )
}

/** The current time, updated every `stepMs`. */
export function useNow(stepMs: number): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [stepMs])
  return nowMs
}
