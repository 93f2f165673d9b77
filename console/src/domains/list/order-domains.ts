/** Which domains the list shows, and in which order: by default those with problems first. */
import type { DomainSummary } from '../../../../src/http/v1/domains/domains.wire.ts'

export const SORTS = ['status', 'name', 'sent', 'checked'] as const
export type DomainSort = (typeof SORTS)[number]

export interface DomainView {
  /** Words of the name or description. */
  readonly q: string
  readonly show: 'all' | 'problems'
  readonly sort: DomainSort
  readonly isReversed: boolean
}

/** Messages by domain; undefined while unknown. */
export type SentCounts = ReadonlyMap<string, readonly number[]> | undefined

const RANKS: Readonly<Record<DomainSummary['status'], number>> = { failing: 0, unverified: 1, inactive: 2, verified: 4 }

/** The lower, the more urgent. A verified domain without DMARC comes before one that has everything. */
function rankOf({ status, dmarcVerified }: DomainSummary): number {
  return status === 'verified' && !dmarcVerified ? 3 : RANKS[status]
}

export function hasProblem({ status }: DomainSummary): boolean {
  return status === 'failing' || status === 'unverified'
}

export function listDomains(
  domains: readonly DomainSummary[],
  { q, show, sort, isReversed }: DomainView,
  sent: SentCounts,
): readonly DomainSummary[] {
  const words = q.toLowerCase().split(/\s+/)
  const shown = domains.filter((domain) => {
    const text = `${domain.name} ${domain.description}`.toLowerCase()
    return (show === 'all' || hasProblem(domain)) && words.every((word) => text.includes(word))
  })
  const values = new Map(shown.map((domain) => [domain, sortValue(domain, sort, sent)]))
  const direction = isReversed ? -1 : 1
  const compareBoth = (one: DomainSummary, other: DomainSummary) =>
    direction * compare(values.get(one) ?? 0, values.get(other) ?? 0) || compare(one.name, other.name)
  return shown.toSorted(compareBoth)
}

/** Ascending: the most urgent, the first letter, the busiest, the longest unchecked. */
function sortValue(domain: DomainSummary, sort: DomainSort, sent: SentCounts): number | string {
  if (sort === 'name') return domain.name
  if (sort === 'checked') return domain.lastCheckAt ?? ''
  if (sort === 'sent') return -(sent?.get(domain.name) ?? []).reduce((total, count) => total + count, 0)
  return rankOf(domain)
}

function compare(one: number | string, other: number | string): number {
  return one < other ? -1 : Number(one > other)
}
