/** What has changed, without moving what somebody is reading. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { Insights } from '../../../src/http/v1/statistics/insights.wire.ts'
import { useReading } from '../api/reading.ts'

export interface ShownInsights {
  /** To draw; undefined before the first answer, or if it was late. */
  readonly insights: Insights | undefined
  /** An answer with other findings, which would move the page: drawn on request. */
  readonly news: Insights | undefined
  readonly show: () => void
  /** Nothing more is waited for: what is below can be drawn. */
  readonly isSettled: boolean
  readonly hasFailed: boolean
}

/** What is below the findings waits this long for them. */
const PATIENCE_MS = 3000

export function useInsights(domain: string): ShownInsights {
  const path = useReading().pathOf('/insights', domain === '' ? '' : new URLSearchParams({ domain }))
  const { data, error } = useQuery<Insights>({ queryKey: [path], refetchInterval: 60_000 })
  const [latePath, setLatePath] = useState('')
  const [kept, setKept] = useState<{ readonly path: string; readonly insights: Insights }>()
  useEffect(() => {
    const timer = setTimeout(() => setLatePath(path), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [path])
  const drawn = kept?.path === path ? kept.insights : undefined
  const isLate = latePath === path
  const show = () => data && setKept({ path, insights: data })
  const isUnmoved = drawn ? data && keysOf(drawn) === keysOf(data) : !isLate
  if (data && data !== drawn && isUnmoved) show()
  return {
    insights: drawn,
    news: data !== drawn ? data : undefined,
    show,
    isSettled: drawn !== undefined || error !== null || isLate,
    hasFailed: error !== null && data === undefined,
  }
}

/** The same findings have the same place, though their numbers grow. */
function keysOf({ findings }: Insights): string {
  return JSON.stringify(
    findings.map(({ figure, address, provider, classification }) => [figure, address, provider, classification]),
  )
}
