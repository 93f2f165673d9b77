/** Events that have arrived since live mode was turned on, newest first, and the state of the connection. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { followStream, type StreamState } from '../../api/event-stream.ts'
import { useReading } from '../../api/reading.ts'
import { endSessionOn401 } from '../../api/session.ts'

/** Held in memory above the list. With more than these, the list is loaded again, which contains them. */
const MAX_EVENTS = 1000
/** Of those that the list will contain: shown until it is loaded. */
const KEPT_EVENTS = 200
/** Events within this time are drawn together. */
const BATCH_MS = 100

export type LiveState = StreamState | 'refused' | 'off'

export interface LiveEvents {
  readonly state: LiveState
  readonly events: readonly LogEvent[]
  /** Number of events that arrived beyond MAX_EVENTS. Loading the list again shows them. */
  readonly overflow: number
  /** How many of the events, the oldest ones, arrived before the list was last requested: it contains them. */
  readonly listed: number
  /** Drops those, once the list is there. */
  readonly dropListed: () => void
}

type Received = Omit<LiveEvents, 'dropListed'>

const OFF: Received = { state: 'off', events: [], overflow: 0, listed: 0 }

interface LiveQuestion {
  readonly isOn: boolean
  /** Parameters of the stream. */
  readonly params: string
  /** Of the list: the stream goes on when it is loaded again. */
  readonly listEpoch: number
  /** A new one connects again. */
  readonly streamEpoch: number
  /**
   * Called when the stream first connects. A list loaded from then on has no gap to the stream's events, but may contain some
   * of them; the caller removes those.
   */
  readonly onOpen: () => void
}

export function useLiveEvents({ isOn, params, listEpoch, streamEpoch, onOpen }: LiveQuestion): LiveEvents {
  const client = useQueryClient()
  const [live, setLive] = useState<Received>(OFF)
  const path = useReading().pathOf('/events/stream', params)
  const opened = useRef(onOpen)
  opened.current = onOpen
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new epoch connects again
  useEffect(() => {
    if (!isOn) {
      setLive(OFF)
      return
    }
    setLive({ ...OFF, state: 'connecting' })
    const stop = new AbortController()
    let batch: LogEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let isFirst = true
    const flush = () => {
      timer = undefined
      const fresh = batch.toReversed()
      batch = []
      setLive((previous) => {
        // The events already shown stay: somebody may be reading them.
        if (previous.events.length + fresh.length > MAX_EVENTS)
          return { ...previous, overflow: previous.overflow + fresh.length }
        return { ...previous, events: [...fresh, ...previous.events] }
      })
    }
    void followStream(
      path,
      {
        onState: (state) => {
          setLive((previous) => ({ ...previous, state }))
          if (state === 'open' && isFirst) {
            isFirst = false
            opened.current()
          }
        },
        onRefused: (error) => {
          endSessionOn401(client, error)
          setLive((previous) => ({ ...previous, state: 'refused' }))
        },
        onEvent: (text) => {
          batch.push(JSON.parse(text) as LogEvent)
          timer ??= setTimeout(flush, BATCH_MS)
        },
      },
      stop.signal,
    )
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [isOn, path, streamEpoch, client])
  // The list, further down in the page, has sent its request just before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: for each new list
  useEffect(() => {
    setLive((previous) => {
      const events = previous.events.slice(0, KEPT_EVENTS)
      return { ...previous, events, listed: events.length, overflow: 0 }
    })
  }, [listEpoch])
  const dropListed = useCallback(
    () =>
      setLive((previous) => ({
        ...previous,
        events: previous.events.slice(0, previous.events.length - previous.listed),
        listed: 0,
      })),
    [],
  )
  return { ...(isOn ? live : OFF), dropListed }
}
