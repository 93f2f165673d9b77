/** The last line of the list: an error, how far back the search has come, or the end. */
import { Icon } from '../../kit/marks/icon.tsx'
import { Failure } from '../../kit/states.tsx'
import { formatCount, formatFull } from '../../kit/text/format.ts'
import type { LogPages } from './use-log-pages.ts'

interface LogFootProps {
  readonly pages: LogPages
  readonly maxRows: number
}

export function LogFoot({ pages, maxRows }: LogFootProps) {
  const { count, isComplete, isFetchingMore, searchedTo, error, retry } = pages
  if (error) return <Failure what="Could not load more events" error={error} onRetry={retry} />
  if (isComplete) {
    return (
      <p className="row small muted log-foot">
        {formatCount(count)} {count === 1 ? 'event' : 'events'} · end of list
      </p>
    )
  }
  if (count >= maxRows) {
    return (
      <p className="row small muted log-foot">
        Only the newest {formatCount(count)} events are shown. Choose a shorter time range or export the events.
      </p>
    )
  }
  if (!isFetchingMore || searchedTo === undefined) return null
  return (
    <p className="row small muted log-foot" role="status">
      <Icon name="search" /> Searched back to {formatFull(Date.parse(searchedTo))}
    </p>
  )
}
