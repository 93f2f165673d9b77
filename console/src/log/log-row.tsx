/** One event in the list. The whole row is the link to its message. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { LogEvent } from '../../../src/http/v1/events.wire.ts'
import { TypeLabel } from '../kit/event-type.tsx'
import { formatClock, formatDayOfMonth, formatExact } from '../kit/format.ts'
import { printable } from '../kit/printable.ts'
import { type LogSearch, writeLogSearch } from './log-search.ts'

interface RowPlace {
  readonly index: number
  readonly top: number
  readonly height: number
}

interface LogRowProps extends RowPlace {
  readonly event: LogEvent
  readonly search: LogSearch
  readonly isFresh: boolean
  /** Of all rows one is reached by Tab; arrows go on from there. */
  readonly isFocusable: boolean
  readonly onOpen: () => void
}

export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { event, index, top, height, search, isFresh, isFocusable, onOpen } = props
  const timeMs = event.timestamp * 1000
  const link = `/log${writeLogSearch({ ...search, message: event.id, messageDomain: event.domain_name })}`
  const isOpen = search.message === event.id
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className="log-row"
      data-index={index}
      data-open={isOpen}
      data-fresh={isFresh}
      style={{ top, height }}
    >
      <span role="cell" className="log-time">
        <time dateTime={new Date(timeMs).toISOString()} title={formatExact(timeMs)}>
          <span className="log-day">{formatDayOfMonth(timeMs)}</span> {formatClock(timeMs)}
        </time>
      </span>
      <span role="cell" className="log-event">
        <TypeLabel type={event.type} />
      </span>
      <span role="cell" className="log-code">
        {event.response_code}
      </span>
      <span role="cell" className="log-recipient">
        <Link
          href={link}
          data-log-row
          tabIndex={isFocusable ? 0 : -1}
          aria-current={isOpen ? 'true' : undefined}
          className="log-link foreign"
          onClick={(click) => {
            // A new tab, or a new window, is the browser's business.
            if (click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return
            click.preventDefault()
            onOpen()
          }}
        >
          <bdi>{printable(event.recipient)}</bdi>
        </Link>
      </span>
      <span role="cell" className="log-subject foreign">
        <bdi>{printable(event.subject ?? '')}</bdi>
      </span>
      <span role="cell" className="log-answer foreign">
        <bdi>{printable(event.response_content ?? '').slice(0, 200)}</bdi>
      </span>
      <span role="cell" className="log-provider foreign">
        <bdi>{printable(event.provider_name ?? '')}</bdi>
      </span>
    </div>
  )
}, isSameRow)

/** Another search is the same row, unless it opens or closes it. Handlers are new each time and do the same. */
function isSameRow(one: LogRowProps, other: LogRowProps): boolean {
  return (
    one.event === other.event &&
    one.index === other.index &&
    one.top === other.top &&
    one.height === other.height &&
    one.isFresh === other.isFresh &&
    one.isFocusable === other.isFocusable &&
    one.search === other.search
  )
}

export function LogRowPlaceholder({ index, top, height }: RowPlace) {
  return (
    <div role="row" aria-rowindex={index + 2} className="log-row" style={{ top, height }}>
      <span role="cell" className="log-time">
        <span className="visually-hidden">Loading</span>
        <span className="skeleton-bar" />
      </span>
      <span role="cell" className="log-event">
        <span className="skeleton-bar" />
      </span>
      <span role="cell" className="log-recipient">
        <span className="skeleton-bar" />
      </span>
    </div>
  )
}
