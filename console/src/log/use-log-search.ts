/** The log's search as the address has it, and how to change it. */
import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'
import { type LogSearch, parseLogSearch, writeLogSearch } from './log-search.ts'

interface ChangeOptions {
  /** Leaves no step for the back button. */
  readonly isReplacing?: boolean
}

export type ChangeSearch = (search: LogSearch, options?: ChangeOptions) => void

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
