/** Events that have arrived since live mode was turned on, newest first, and the state of the connection. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { followStream, type StreamState } from '../../api/event-stream.ts'
import { endSessionOn401 } from '../../api/session.ts'

/** Above this number, the list is loaded again instead. */
const MAX_EVENTS = 1000
/** Events within this time are drawn together. */
const BATCH_MS = 100

export type LiveState = StreamState | 'refused' | 'off'

export interface LiveEvents {
  readonly state: LiveState
  readonly events: readonly LogEvent[]
  /** Number of events that arrived beyond MAX_EVENTS. Loading the list again shows them. */
  readonly overflow: number
}

const OFF: LiveEvents = { state: 'off', events: [], overflow: 0 }

/**
 * `onOpen` is called when the stream first connects. A list loaded from then on has no gap to the stream's events, but
 * may contain some of them; the caller removes those.
 */
export function useLiveEvents(isOn: boolean, params: string, epoch: number, onOpen: () => void): LiveEvents {
  const client = useQueryClient()
  const [live, setLive] = useState<LiveEvents>(OFF)
  const opened = useRef(onOpen)
  opened.current = onOpen
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new epoch starts over
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
      `/v1/events/stream?${params}`,
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
  }, [isOn, params, epoch, client])
  return isOn ? live : OFF
}
