/**
 * The log as a list of rows of which only those near the screen are kept.
 *
 * Pages are fetched as they come into view and forgotten a moment after they have left it. What stays of a page is its
 * cursor and its length: with those it can be fetched again when one scrolls back, and says the same, because a cursor
 * carries the window of the first page.
 */
import { useQueries } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { EventsPage, LogEvent } from '../../../src/http/v1/events.wire.ts'
import { request } from '../api/request.ts'

const FIRST_PAGE_ROWS = 100
const PAGE_ROWS = 250
/** How long a page that is out of sight is kept. */
const FORGET_MS = 1500

interface PagePlace {
  /** Null for the first one. */
  readonly cursor: string | null
  readonly start: number
  /** Unknown before it was fetched for the first time. */
  readonly length?: number
}

interface KnownPages {
  readonly base: string
  readonly places: readonly PagePlace[]
  readonly isComplete: boolean
  /** How far back has been searched; a search that finds little takes a while. */
  readonly searchedTo?: string
}

export interface LogPages {
  /** Rows whose place is known. */
  readonly count: number
  readonly isComplete: boolean
  readonly isFirstPending: boolean
  readonly isFetchingMore: boolean
  readonly searchedTo: string | undefined
  readonly error: Error | null
  readonly retry: () => void
  /** Undefined while it is being fetched. */
  readonly row: (index: number) => LogEvent | undefined
}

/** What is asked for; another `epoch` asks the same again. */
export interface LogQuestion {
  readonly params: string
  readonly epoch: number
}

/** `first` and `last`: the rows on the screen. */
export function useLogPages({ params, epoch }: LogQuestion, first: number, last: number): LogPages {
  const base = `${epoch} ${params}`
  const [known, setKnown] = useState<KnownPages>(() => begin(base))
  // Another question is another list. Set while rendering, so that no row of the former one is ever shown.
  const current = known.base === base ? known : begin(base)
  if (current !== known) setKnown(current)

  const places = wantedPlaces(current.places, first, last)
  const results = useQueries({
    queries: places.map(({ cursor }) => ({
      queryKey: ['events', base, cursor],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchPage(params, cursor, signal),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: FORGET_MS,
    })),
  })
  const next = results.reduce<KnownPages>((pages, { data }, index) => learn(pages, places[index], data), current)
  if (next !== current) setKnown(next)

  const failed = results.find(({ isError }) => isError)
  const rows = useMemo(
    () => new Map(places.map(({ start }, index) => [start, results[index]?.data])),
    [places, results],
  )
  return {
    count: next.places.reduce((sum, { length = 0 }) => sum + length, 0),
    isComplete: next.isComplete,
    isFirstPending: next.places[0]?.length === undefined,
    isFetchingMore: results.some(({ isFetching }) => isFetching),
    searchedTo: next.searchedTo,
    error: failed?.error ?? null,
    retry: () => void failed?.refetch(),
    row(index) {
      const place = findPlace(next.places, index)
      return place && rows.get(place.start)?.events[index - place.start]
    },
  }
}

function begin(base: string): KnownPages {
  return { base, places: [{ cursor: null, start: 0 }], isComplete: false }
}

/** Those that hold a row on the screen, and the one whose rows come next. */
function wantedPlaces(places: readonly PagePlace[], first: number, last: number): readonly PagePlace[] {
  return places.filter(({ start, length }) =>
    length === undefined ? start <= last + 1 : start <= last && start + length > first,
  )
}

function fetchPage(params: string, cursor: string | null, signal: AbortSignal): Promise<EventsPage> {
  const query =
    cursor === null ? `${params}&limit=${FIRST_PAGE_ROWS}` : `cursor=${encodeURIComponent(cursor)}&limit=${PAGE_ROWS}`
  return request<EventsPage>(`/v1/events?${query}`, { signal })
}

/** The length of a page, once it is there, and the place of the next one. */
function learn(known: KnownPages, place: PagePlace | undefined, page: EventsPage | undefined): KnownPages {
  if (!place || !page || place.length !== undefined) return known
  const { length } = page.events
  const former = known.places.slice(0, -1)
  const next = page.next === null ? [] : [{ cursor: page.next, start: place.start + length }]
  return {
    base: known.base,
    places: [...former, { ...place, length }, ...next],
    isComplete: page.next === null,
    searchedTo: page.searchedTo,
  }
}

function findPlace(places: readonly PagePlace[], index: number): PagePlace | undefined {
  let [low, high] = [0, places.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((places[middle]?.start ?? 0) <= index) low = middle
    else high = middle - 1
  }
  // A page may be empty: then several begin at the same row, and the last of them has it.
  return places[low]
}
