/** The log's search in the address, and a function that changes it. */
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type LogSearch, parseLogSearch, writeLogSearch } from './log-search.ts'

interface ChangeOptions {
  /** Adds no entry to the browser's history. */
  readonly isReplacing?: boolean
}

type ChangeSearch = (search: LogSearch, options?: ChangeOptions) => void

export function useLogSearch(): readonly [LogSearch, ChangeSearch] {
  const query = useSearch()
  const [, navigate] = useLocation()
  const search = useMemo(() => parseLogSearch(query), [query])
  const change: ChangeSearch = useCallback(
    (next, { isReplacing = false } = {}) => navigate(`/log${writeLogSearch(next)}`, { replace: isReplacing }),
    [navigate],
  )
  return [search, change]
}
