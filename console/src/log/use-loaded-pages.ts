/**
 * The pages of the log that are in sight, and no others: fetched when they are wanted, forgotten when they are not. (A
 * cache that remembers is what everything else here uses; of a list without an end nothing may be remembered.)
 */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useRef } from 'react'
import type { EventsPage } from '../../../src/http/v1/events.wire.ts'
import { ApiError, request } from '../api/request.ts'
import { endSession } from '../api/session.ts'

export interface LoadedPage {
  readonly page?: EventsPage
  readonly error?: Error
}

export interface WantedPage {
  /** Tells the page from all others, of other questions too. */
  readonly key: string
  readonly path: string
}

interface Entry {
  loaded: LoadedPage
  readonly stop: AbortController
}

export interface LoadedPages {
  readonly find: (key: string) => LoadedPage | undefined
  /** Asks again for what failed. */
  readonly retry: () => void
}

export function useLoadedPages(wanted: readonly WantedPage[]): LoadedPages {
  const client = useQueryClient()
  const entries = useRef(new Map<string, Entry>())
  const [, redraw] = useReducer((count: number) => count + 1, 0)

  const load = ({ key, path }: WantedPage) => {
    const entry: Entry = { loaded: {}, stop: new AbortController() }
    entries.current.set(key, entry)
    const finish = (loaded: LoadedPage) => {
      if (entry.stop.signal.aborted) return
      entry.loaded = loaded
      redraw()
    }
    request<EventsPage>(path, { signal: entry.stop.signal }).then(
      (page) => finish({ page }),
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 401) endSession(client)
        finish({ error: error instanceof Error ? error : new Error(String(error)) })
      },
    )
  }

  const keys = wanted.map(({ key }) => key).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is wanted is told by its keys
  useEffect(() => {
    for (const [key, { stop }] of entries.current) {
      if (wanted.some((page) => page.key === key)) continue
      stop.abort()
      entries.current.delete(key)
    }
    for (const page of wanted) if (!entries.current.has(page.key)) load(page)
  }, [keys])
  useEffect(() => {
    const all = entries.current
    return () => {
      for (const { stop } of all.values()) stop.abort()
      all.clear()
    }
  }, [])

  return {
    find: (key) => entries.current.get(key)?.loaded,
    retry: () => {
      for (const page of wanted) if (entries.current.get(page.key)?.loaded.error) load(page)
      redraw()
    },
  }
}
