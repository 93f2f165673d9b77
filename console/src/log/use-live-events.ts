/** Events that have come in since the page was loaded, newest first, and whether the connection stands. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../../src/http/v1/events.wire.ts'
import { followStream, type StreamState } from '../api/event-stream.ts'
import { endSession } from '../api/session.ts'

/** Beyond this the list is better asked for again: nobody reads so many that arrive one by one. */
export const LIVE_MAX = 1000
/** Several within a moment are drawn together. */
const GATHER_MS = 100

export type LiveState = StreamState | 'refused' | 'off'

export interface LiveEvents {
  readonly state: LiveState
  readonly events: readonly LogEvent[]
  /** How many more came than are kept. The list has to be loaded again to show them. */
  readonly uncounted: number
}

const OFF: LiveEvents = { state: 'off', events: [], uncounted: 0 }

/**
 * `onOpen` is called when the stream stands for the first time: what is listed from then on, and what the stream brings,
 * leave no gap between them. They may overlap; whoever shows both leaves out what he has already.
 */
export function useLiveEvents(isOn: boolean, params: string, epoch: number, onOpen: () => void): LiveEvents {
  const client = useQueryClient()
  const [live, setLive] = useState<LiveEvents>(OFF)
  const opened = useRef(onOpen)
  opened.current = onOpen
  // biome-ignore lint/correctness/useExhaustiveDependencies: another epoch is another list
  useEffect(() => {
    if (!isOn) {
      setLive(OFF)
      return
    }
    setLive({ ...OFF, state: 'connecting' })
    const stop = new AbortController()
    let gathered: LogEvent[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    let isFirst = true
    const flush = () => {
      timer = undefined
      const fresh = gathered.toReversed()
      gathered = []
      setLive((former) => {
        // Those that are there stay: somebody may be reading them.
        if (former.events.length + fresh.length > LIVE_MAX)
          return { ...former, uncounted: former.uncounted + fresh.length }
        return { ...former, events: [...fresh, ...former.events] }
      })
    }
    void followStream(
      `/v1/events/stream?${params}`,
      {
        onState: (state) => {
          setLive((former) => ({ ...former, state }))
          if (state === 'open' && isFirst) {
            isFirst = false
            opened.current()
          }
        },
        onRefused: (error) => {
          if (error.status === 401) endSession(client)
          else setLive((former) => ({ ...former, state: 'refused' }))
        },
        onEvent: (text) => {
          gathered.push(JSON.parse(text) as LogEvent)
          timer ??= setTimeout(flush, GATHER_MS)
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
