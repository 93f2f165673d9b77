/** What stands below the last row. */
import { formatCount, formatLocal } from '../kit/format.ts'
import { Icon } from '../kit/icon.tsx'
import { Failure } from '../kit/states.tsx'
import type { LogPages } from './use-log-pages.ts'

/** Browsers draw nothing beyond some millions of pixels. Nobody scrolls so far; who wants all of it exports it. */
export const ROWS_MOST = 400_000

/** How it goes on: an error, how far back the search has come, or that this was all. */
export function LogFoot({ pages }: { readonly pages: LogPages }) {
  if (pages.error) return <Failure what="The rest could not be read" error={pages.error} onRetry={pages.retry} />
  if (pages.isComplete) {
    const events = pages.count === 1 ? 'event' : 'events'
    return (
      <p className="log-foot">
        {formatCount(pages.count)} {events}; there are no older ones.
      </p>
    )
  }
  if (pages.count >= ROWS_MOST) {
    return (
      <p className="log-foot">
        {formatCount(pages.count)} events are shown. Narrow the window for older ones, or export.
      </p>
    )
  }
  if (!pages.isFetchingMore || pages.searchedTo === undefined) return null
  return (
    <p className="log-foot" role="status">
      <Icon name="search" /> Searched back to {formatLocal(Date.parse(pages.searchedTo))}
    </p>
  )
}
