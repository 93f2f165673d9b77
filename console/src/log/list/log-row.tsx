/** One event in the list. The whole row links to its message. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { TypeLabel } from '../../kit/marks/event-type.tsx'
import { formatClock, formatDayOfMonth, formatExact } from '../../kit/text/format.ts'
import { printable } from '../../kit/text/printable.ts'
import { type LogSearch, writeLogSearch } from '../../search/log-search.ts'

interface RowPosition {
  readonly index: number
  readonly top: number
  readonly height: number
}

interface LogRowProps extends RowPosition {
  readonly event: LogEvent
  readonly search: LogSearch
  readonly isFresh: boolean
  /** Tab reaches exactly one row; the arrow keys move from there. */
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
      className="hoverable log-row"
      data-index={index}
      data-open={isOpen}
      data-fresh={isFresh}
      style={{ top, height }}
    >
      <span role="cell" className="log-time">
        <time dateTime={new Date(timeMs).toISOString()} title={formatExact(timeMs)}>
          <span className="muted">{formatDayOfMonth(timeMs)}</span> {formatClock(timeMs)}
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
          className="medium cover-link foreign"
          dir="auto"
          onClick={(click) => {
            // With a modifier key the browser opens a new tab or window.
            if (click.metaKey || click.ctrlKey || click.shiftKey || click.altKey) return
            click.preventDefault()
            onOpen()
          }}
        >
          <bdi>{printable(event.recipient)}</bdi>
        </Link>
      </span>
      <span role="cell" dir="auto" className="log-subject foreign">
        <bdi>{printable(event.subject ?? '')}</bdi>
      </span>
      <span role="cell" dir="auto" className="log-response foreign">
        <bdi>{printable(event.response_content ?? '').slice(0, 200)}</bdi>
      </span>
      <span role="cell" dir="auto" className="log-provider foreign">
        <bdi>{printable(event.provider_name ?? '')}</bdi>
      </span>
    </div>
  )
}, isSameRow)

/** Ignores onOpen, which is a new function at every render but always does the same. */
function isSameRow({ onOpen: _one, ...one }: LogRowProps, { onOpen: _other, ...other }: LogRowProps): boolean {
  return (Object.keys(one) as (keyof typeof one)[]).every((name) => one[name] === other[name])
}

export function LogRowPlaceholder({ index, top, height }: RowPosition) {
  return (
    <div role="row" aria-rowindex={index + 2} className="hoverable log-row" style={{ top, height }}>
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
