/** Search text, order and page of a list, in the page's address. */
import { useLocation, useSearch } from 'wouter'

export const PAGE_ROWS = 50

export interface ListSearch {
  readonly search: string
  readonly sort: string
  /** From 1. */
  readonly page: number
}

export function parseListSearch(query: string, sorts: readonly string[]): ListSearch {
  const params = new URLSearchParams(query)
  const page = Number(params.get('page') ?? 1)
  const [first = ''] = sorts
  return {
    search: params.get('search') ?? '',
    sort: sorts.find((sort) => sort === params.get('sort')) ?? first,
    page: Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1,
  }
}

export function writeListSearch({ search, sort, page }: ListSearch, sorts: readonly string[]): string {
  const params = new URLSearchParams()
  if (search !== '') params.set('search', search)
  if (sort !== sorts[0]) params.set('sort', sort)
  if (page > 1) params.set('page', String(page))
  return params.size === 0 ? '' : `?${params}`
}

/** Parameters of the list's endpoint. */
export function listParams({ search, sort, page }: ListSearch): URLSearchParams {
  return new URLSearchParams({
    ...(search !== '' && { search }),
    ...(sort !== '' && { sort }),
    skip: String((page - 1) * PAGE_ROWS),
    take: String(PAGE_ROWS),
  })
}

type ChangeListSearch = (change: Partial<ListSearch>) => void

/** `sorts`: the first one is the default; none for a list with one order. */
export function useListSearch(sorts: readonly string[] = []): readonly [ListSearch, ChangeListSearch] {
  const [path, navigate] = useLocation()
  const list = parseListSearch(useSearch(), sorts)
  // Another search or order begins with its first page.
  const change: ChangeListSearch = (next) =>
    navigate(path + writeListSearch({ ...list, page: 1, ...next }, sorts), { replace: next.search !== undefined })
  return [list, change]
}
