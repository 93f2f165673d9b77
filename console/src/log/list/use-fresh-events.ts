/** New events at the top of the list: no gaps, no duplicates, and the rows being read do not move. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import type { LiveEvents } from './use-live-events.ts'
import type { LogPages } from './use-log-pages.ts'

interface FreshEvents {
  /** To draw above the list. */
  readonly fresh: readonly LogEvent[]
  /** The number of events held back while the list does not follow. */
  readonly pending: number
  /** How many of those only the list can show, once it is loaded again. */
  readonly unlisted: number
}

/** What a list contained when it was loaded. */
interface Listed {
  readonly epoch: number
  readonly keys: ReadonlySet<string>
  /** The timestamp of its last known row, if more rows follow. */
  readonly end: number | undefined
}

const MAX_KEYS = 500

/**
 * The list does not follow while it is scrolled away from its top, or a row is being looked at.
 *
 * The stream may be far behind the list, which was loaded later than the stream had begun. Events of the rows that are known are left
 * out. Of an event that belongs further down it is unknown whether the list has it: only another list can tell.
 */
export function useFreshEvents(live: LiveEvents, pages: LogPages, isFollowing: boolean, epoch: number): FreshEvents {
  const [held, setHeld] = useState(0)
  const known = useRef<Listed | undefined>(undefined)
  if (known.current?.epoch !== epoch && !pages.isStale && pages.row(0)) known.current = describeList(pages, epoch)
  const list = known.current
  const isLoaded = list?.epoch === epoch
  const { dropListed } = live
  useEffect(() => {
    if (isLoaded && live.listed > 0) dropListed()
  }, [isLoaded, live.listed, dropListed])
  const [arrived, unlisted] = useMemo(() => {
    const later = isLoaded ? live.events.slice(0, live.events.length - live.listed) : live.events
    const unknown = list ? later.filter((event) => !list.keys.has(identify(event))) : later
    const isAbove = ({ timestamp }: LogEvent) => list?.end === undefined || timestamp > list.end
    const above = unknown.filter(isAbove)
    return [above, live.overflow + unknown.length - above.length]
  }, [live.events, live.listed, live.overflow, isLoaded, list])
  useEffect(() => {
    if (isFollowing) setHeld(arrived.length)
  }, [isFollowing, arrived.length])
  const shown = isFollowing ? arrived.length : Math.min(held, arrived.length)
  return { fresh: arrived.slice(arrived.length - shown), pending: arrived.length - shown + unlisted, unlisted }
}

function describeList({ row, count, isComplete }: LogPages, epoch: number): Listed {
  const events = Array.from({ length: Math.min(count, MAX_KEYS) }, (_, index) => row(index)).filter((event) => !!event)
  const isAll = isComplete && count <= MAX_KEYS
  return { epoch, keys: new Set(events.map(identify)), end: isAll ? undefined : events.at(-1)?.timestamp }
}

/** Events are equal if all fields are equal. */
function identify(event: LogEvent): string {
  return JSON.stringify(Object.entries(event).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
