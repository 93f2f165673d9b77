/**
 * The log as a list of rows of which only those near the screen are held.
 *
 * Pages are fetched as they come into view and dropped as they leave it. Only the cursor and the length of a page are
 * kept. With those, scrolling back fetches the same page again: a cursor carries the window of the first page.
 */
import { queryOptions, useQueries } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import type { EventsPage, LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { useReading } from '../../api/reading.ts'
import { request } from '../../api/request.ts'
import { shouldRetryBusy } from '../../api/retries.ts'

/** Small at first, for a fast first answer; larger for readers who keep scrolling. */
const PAGE_ROWS = { first: 100, next: 250, far: 1000 } as const
const FAR_ROWS = 1000
/** Distance from the screen, in rows, at which a page is fetched and dropped. */
const NEAR_ROWS = 60

interface PageRange {
  /** Null for the first page. */
  readonly cursor: string | null
  readonly start: number
  /** Unknown before the first fetch. */
  readonly length?: number
}

interface KnownPages {
  readonly base: string
  readonly ranges: readonly PageRange[]
  readonly isComplete: boolean
  /** How far back the search has come; a search with few matches takes a while. */
  readonly searchedTo?: string
}

export interface LogPages {
  /** Rows of all pages of known length. */
  readonly count: number
  readonly isComplete: boolean
  readonly isFetchingMore: boolean
  readonly searchedTo: string | undefined
  readonly error: Error | null
  readonly retry: () => void
  /** Undefined while its page is being fetched. */
  readonly row: (index: number) => LogEvent | undefined
  /** The rows are those of the previous epoch, shown until the first page is there. */
  readonly isStale: boolean
}

/** What the list shows; a new `epoch` fetches the same again. */
export interface LogQuestion {
  readonly params: string
  readonly epoch: number
}

/** `first` and `last`: the rows on the screen. A new epoch asks the same question, so that its previous answer can stay meanwhile. */
export function useLogPages({ params, epoch }: LogQuestion, first: number, last: number): LogPages {
  const { pathOf } = useReading()
  const base = `${epoch} ${pathOf('/events', params)}`
  const [known, setKnown] = useState<KnownPages>(() => firstPage(base))
  // Set while rendering, so that rows of two answers are never mixed.
  const current = known.base === base ? known : firstPage(base)
  if (current !== known) setKnown(current)

  const ranges = rangesNear(current.ranges, first, last)
  const results = useQueries({
    queries: ranges.map((range) => pageQuery(base, pathOf('/events', pageParams(params, range)), range)),
  })
  const pages = new Map(ranges.map(({ cursor }, index) => [cursor, results[index]?.data]))
  const next = ranges.reduce((all, range) => addLength(all, range, pages.get(range.cursor)), current)
  if (next !== current) setKnown(next)

  const shown = useRef<readonly LogEvent[]>([])
  const isStale = next.ranges[0]?.length === undefined && results.some(({ isPending }) => isPending)
  if (!isStale) shown.current = pages.get(null)?.events ?? shown.current
  const stale = isStale && shown.current.length > 0 ? shown.current : undefined
  if (stale) return { ...LOADING, count: stale.length, row: (index) => stale[index], isStale: true }
  return {
    count: next.ranges.reduce((sum, { length = 0 }) => sum + length, 0),
    isComplete: next.isComplete,
    isFetchingMore: results.some(({ isPending }) => isPending),
    searchedTo: next.searchedTo,
    error: results.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const { error, refetch } of results) if (error) void refetch()
    },
    row(index) {
      const range = findRange(next.ranges, index)
      return range && pages.get(range.cursor)?.events[index - range.start]
    },
    isStale: false,
  }
}

const LOADING = {
  isComplete: false,
  isFetchingMore: true,
  searchedTo: undefined,
  error: null,
  retry: () => undefined,
} as const

/**
 * Not inside the hook: a function made there would hold the results of that render, and so the page before, whose own
 * function would hold the page before that.
 */
function pageQuery(base: string, path: string, range: PageRange) {
  return queryOptions({
    queryKey: ['log page', base, range.cursor],
    queryFn: ({ signal }) => request<EventsPage>(path, { signal }),
    // Dropped as soon as it is out of view: the list has no end.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
    retry: shouldRetryBusy,
    networkMode: 'always',
  })
}

function firstPage(base: string): KnownPages {
  return { base, ranges: [{ cursor: null, start: 0 }], isComplete: false }
}

/** The pages with a row on the screen or near it, and the next unknown page if it is near. */
function rangesNear(ranges: readonly PageRange[], first: number, last: number): readonly PageRange[] {
  return ranges.filter(
    ({ start, length }) => start <= last + NEAR_ROWS && (length === undefined || start + length > first - NEAR_ROWS),
  )
}

function pageParams(params: string, { cursor, start }: PageRange): string {
  const limit = cursor === null ? PAGE_ROWS.first : start < FAR_ROWS ? PAGE_ROWS.next : PAGE_ROWS.far
  const query = cursor === null ? params : `cursor=${encodeURIComponent(cursor)}`
  return `${query}&limit=${limit}`
}

/** Records the length of a page that has arrived, and the range of the page after it. */
function addLength(known: KnownPages, range: PageRange, page: EventsPage | undefined): KnownPages {
  if (!page || range.length !== undefined) return known
  const { length } = page.events
  const next = page.next === null ? [] : [{ cursor: page.next, start: range.start + length }]
  return {
    base: known.base,
    ranges: [...known.ranges.slice(0, -1), { ...range, length }, ...next],
    isComplete: page.next === null,
    searchedTo: page.searchedTo,
  }
}

/** Of several ranges that begin at the same row, all but the last are empty. */
function findRange(ranges: readonly PageRange[], index: number): PageRange | undefined {
  return ranges.findLast(({ start }) => start <= index)
}
