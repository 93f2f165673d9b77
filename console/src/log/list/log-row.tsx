/** One event in the list. The whole row links to its message. */
import { memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { TypeLabel } from '../../kit/marks/event-type.tsx'
import { formatClock, formatDayOfMonth, formatExact } from '../../kit/text/format.ts'
import { printable } from '../../kit/text/printable.ts'
import { type LogSearch, writeLogSearch } from '../../search/log-search.ts'
import { labelOfReason } from '../../search/value-label.ts'
import type { FittedLook } from './fit-columns.ts'

interface RowPosition {
  readonly index: number
  readonly top: number
  readonly height: number
}

interface LogRowProps extends RowPosition, Pick<FittedLook, 'columns'> {
  readonly event: LogEvent
  readonly search: LogSearch
  readonly isFresh: boolean
  /** Tab reaches exactly one row; the arrow keys move from there. */
  readonly isFocusable: boolean
  readonly onOpen: () => void
}

export const LogRow = memo(function LogRow(props: LogRowProps) {
  const { event, columns, index, top, height, search, isFresh, isFocusable, onOpen } = props
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
      {columns.map((column) => {
        if (column === 'time' || column === 'event' || column === 'code') {
          return (
            <span key={column} role="cell" className={`log-${column}`}>
              {MARKS[column](event)}
            </span>
          )
        }
        if (column !== 'recipient') {
          return (
            <span key={column} role="cell" dir="auto" className={`log-${column} foreign`}>
              <bdi>{printable(TEXTS[column](event) ?? '').slice(0, TEXT_MAX)}</bdi>
            </span>
          )
        }
        return (
          <span key={column} role="cell" className="log-recipient">
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
        )
      })}
    </div>
  )
}, isSameRow)

/** No column is wide enough for more. */
const TEXT_MAX = 1000

const TEXTS = {
  domain: (event) => event.domain_name,
  subject: (event) => event.subject,
  response: (event) => event.response_content,
  classification: (event) => event.bounce_classification && labelOfReason(event.bounce_classification),
  provider: (event) => event.provider_name,
} as const satisfies Record<string, (event: LogEvent) => string | undefined>

const MARKS = {
  time: ({ timestamp }) => <Clock timeMs={timestamp * 1000} />,
  event: ({ type }) => <TypeLabel type={type} />,
  code: (event) => event.response_code,
} as const satisfies Record<string, (event: LogEvent) => ReactNode>

function Clock({ timeMs }: { readonly timeMs: number }) {
  return (
    <time dateTime={new Date(timeMs).toISOString()} title={formatExact(timeMs)}>
      <span className="muted">{formatDayOfMonth(timeMs)}</span> {formatClock(timeMs)}
    </time>
  )
}

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
