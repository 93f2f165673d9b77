/** What the list of domains shows, kept in the address. */
import { useLocation, useSearch } from 'wouter'
import { type DomainSort, type DomainView, SORTS } from './order-domains.ts'

export function useDomainView(): readonly [DomainView, (change: Partial<DomainView>) => void] {
  const params = new URLSearchParams(useSearch())
  const [path, navigate] = useLocation()
  const view = toView(params)
  const change = (changes: Partial<DomainView>) => {
    const { q, show, sort, isReversed } = { ...view, ...changes }
    const given = {
      q,
      show: show === 'all' ? '' : show,
      sort: sort === 'status' ? '' : sort,
      desc: isReversed ? '1' : '',
    }
    for (const [name, value] of Object.entries(given)) {
      if (value === '') params.delete(name)
      else params.set(name, value)
    }
    navigate(params.size === 0 ? path : `${path}?${params}`, { replace: true })
  }
  return [view, change]
}

function toView(params: URLSearchParams): DomainView {
  return {
    q: params.get('q') ?? '',
    show: params.get('show') === 'problems' ? 'problems' : 'all',
    sort: SORTS.find((sort) => sort === params.get('sort')) ?? 'status',
    isReversed: params.get('desc') === '1',
  }
}

/** Clicking the title of a column sorts by it; clicking it again reverses the order. */
export function nextSort({ sort, isReversed }: DomainView, clicked: DomainSort): Partial<DomainView> {
  return { sort: clicked, isReversed: sort === clicked && !isReversed }
}
