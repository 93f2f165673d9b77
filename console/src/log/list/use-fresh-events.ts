/** New events at the top of the list: no gaps, no duplicates, and the rows being read do not move. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import type { LiveEvents } from './use-live-events.ts'

/**
 * The new events to draw, and the number of those held back while the list is scrolled away from its top. Events that
 * the list already has, because it was loaded after the stream had begun, are left out.
 */
export function useFreshEvents(
  live: LiveEvents,
  row: (index: number) => LogEvent | undefined,
  count: number,
  isAtTop: boolean,
  epoch: number,
): { readonly fresh: readonly LogEvent[]; readonly pending: number } {
  const [held, setHeld] = useState(0)
  const listed = useRef<{ epoch: number; keys: Set<string> } | undefined>(undefined)
  if (listed.current?.epoch !== epoch && row(0)) {
    const events = Array.from({ length: Math.min(count, 500) }, (_, index) => row(index))
    listed.current = { epoch, keys: new Set(events.flatMap((event) => (event ? [identify(event)] : []))) }
  }
  const keys = listed.current?.keys
  const arrived = useMemo(
    () => (keys ? live.events.filter((event) => !keys.has(identify(event))) : live.events),
    [live.events, keys],
  )
  useEffect(() => {
    if (isAtTop) setHeld(arrived.length)
  }, [isAtTop, arrived.length])
  const shown = isAtTop ? arrived.length : Math.min(held, arrived.length)
  return { fresh: arrived.slice(arrived.length - shown), pending: arrived.length - shown + live.overflow }
}

/** Events are equal if all fields are equal. */
function identify(event: LogEvent): string {
  return JSON.stringify(Object.entries(event).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
