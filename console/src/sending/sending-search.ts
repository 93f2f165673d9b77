/** The settings of the page of sending addresses, in its address: by what, which period, and which one is looked at. */
import { OVERVIEW_RANGES, type OverviewRange } from '../overview/overview-search.ts'
import type { LogFilters } from '../search/log-search.ts'

export const ORIGINS = {
  address: { group: 'sending_address', label: 'Address', plural: 'addresses' },
  source: { group: 'sending_source', label: 'Source', plural: 'sources' },
  pool: { group: 'sending_pool', label: 'Pool', plural: 'pools' },
} as const
export type Origin = keyof typeof ORIGINS
export const ORIGIN_NAMES = Object.keys(ORIGINS) as readonly Origin[]

export interface SendingSearch {
  readonly by: Origin
  readonly last: OverviewRange
  /** The address, source or pool that is shown in detail; empty for none. */
  readonly value: string
}

const DEFAULT_RANGE: OverviewRange = '24h'

export function parseSendingSearch(query: string): SendingSearch {
  const params = new URLSearchParams(query)
  return {
    by: ORIGIN_NAMES.find((name) => name === params.get('by')) ?? 'address',
    last: OVERVIEW_RANGES.find((range) => range === params.get('last')) ?? DEFAULT_RANGE,
    value: params.get('value') ?? '',
  }
}

export function sendingLink({ by, last, value }: SendingSearch): string {
  const params = new URLSearchParams()
  if (by !== 'address') params.set('by', by)
  if (last !== DEFAULT_RANGE) params.set('last', last)
  if (value !== '') params.set('value', value)
  return params.size === 0 ? '/sending' : `/sending?${params}`
}

export function originFilter({ by }: Pick<SendingSearch, 'by'>, value: string): LogFilters {
  return { [ORIGINS[by].group]: [value] }
}
