/**
 * The log as a list of rows of which only those near the screen are kept.
 *
 * Pages are fetched as they come into view and forgotten as they leave it. What stays of a page is its
 * cursor and its length: with those it can be fetched again when one scrolls back, and says the same, because a cursor
 * carries the window of the first page.
 */
import { useState } from 'react'
import type { EventsPage, LogEvent } from '../../../src/http/v1/events.wire.ts'
import { useLoadedPages } from './use-loaded-pages.ts'

/** Few at first, to be there at once; more for those who keep scrolling. */
const PAGE_ROWS = { first: 100, next: 250, far: 1000 } as const
const FAR_ROWS = 1000
/** A page is asked for so many rows before its place comes into sight, and forgotten as many behind. */
const NEAR_ROWS = 60

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
  const loaded = useLoadedPages(places.map((place) => ({ key: keyOf(base, place), path: pathOf(params, place) })))
  const found = places.map((place) => loaded.find(keyOf(base, place)))
  const next = found.reduce<KnownPages>((pages, entry, index) => learn(pages, places[index], entry?.page), current)
  if (next !== current) setKnown(next)

  return {
    count: next.places.reduce((sum, { length = 0 }) => sum + length, 0),
    isComplete: next.isComplete,
    isFirstPending: next.places[0]?.length === undefined,
    isFetchingMore: found.some((entry) => !entry?.page && !entry?.error),
    searchedTo: next.searchedTo,
    error: found.find((entry) => entry?.error)?.error ?? null,
    retry: loaded.retry,
    row(index) {
      const place = findPlace(next.places, index)
      return place && loaded.find(keyOf(base, place))?.page?.events[index - place.start]
    },
  }
}

const keyOf = (base: string, { cursor }: PagePlace) => `${base} ${cursor ?? ''}`

function begin(base: string): KnownPages {
  return { base, places: [{ cursor: null, start: 0 }], isComplete: false }
}

/** Those that hold a row on the screen or near it, and the one whose rows come next. */
function wantedPlaces(places: readonly PagePlace[], first: number, last: number): readonly PagePlace[] {
  return places.filter(
    ({ start, length }) => start <= last + NEAR_ROWS && (length === undefined || start + length > first - NEAR_ROWS),
  )
}

function pathOf(params: string, { cursor, start }: PagePlace): string {
  const limit = cursor === null ? PAGE_ROWS.first : start < FAR_ROWS ? PAGE_ROWS.next : PAGE_ROWS.far
  const query = cursor === null ? params : `cursor=${encodeURIComponent(cursor)}`
  return `/v1/events?${query}&limit=${limit}`
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
