/** The list of events. Draws only the rows on the screen; new events never move the rows being read. */
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../../../src/http/v1/log/events.wire.ts'
import { Failure } from '../../kit/states.tsx'
import { formatCount } from '../../kit/text/format.ts'
import { onWish, takeWish } from '../../search/first-result.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { COLUMN_SIZES, type FittedLook } from './fit-columns.ts'
import { LogEmpty } from './log-empty.tsx'
import { LogFoot } from './log-foot.tsx'
import { LogRow, LogRowPlaceholder } from './log-row.tsx'
import { useFreshEvents } from './use-fresh-events.ts'
import type { LiveEvents } from './use-live-events.ts'
import { type LogQuestion, useLogPages } from './use-log-pages.ts'
import { useReload } from './use-reload.ts'
import { useRowWindow } from './use-row-window.ts'
import './log-list.css'

interface LogListProps {
  readonly question: LogQuestion
  readonly look: FittedLook
  readonly live: LiveEvents
  /** New events wait until it is false. */
  readonly isPaused: boolean
  readonly onResume: () => void
  readonly onOpen: (message: string, domain: string) => void
  readonly onReload: () => void
  /** The list has to be loaded again for new events, without anybody asking for it. */
  readonly onOutdated: () => void
}

/** Grey rows after the last loaded one, so that the list does not seem to end there. */
const PLACEHOLDERS = 3
const AT_TOP_PX = 4

export function LogList({ question, look, live, isPaused, onResume, onOpen, onReload, onOutdated }: LogListProps) {
  const [search] = useLogSearch()
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const { layout, columns, template, rowPx } = look
  const rows = useRowWindow(scroller, rowPx)
  const [focused, setFocused] = useState(0)
  const [isAtTop, setAtTop] = useState(true)
  // New events would move the row that somebody points at or has selected.
  const [isPointedAt, setPointedAt] = useState(false)
  const [hasFocus, setFocus] = useState(false)
  const isFollowing = isAtTop && !isPaused && !isPointedAt && !hasFocus

  const freshCount = useRef(0)
  // The first row even if new events fill the screen: only the list knows which of them it has.
  const inList = (index: number) => Math.max(0, index - freshCount.current)
  const pages = useLogPages(question, inList(rows.first), inList(rows.last))
  const { fresh, pending, unlisted } = useFreshEvents(live, pages, isFollowing, question.epoch)
  freshCount.current = fresh.length
  const isEnded = pages.isComplete || pages.error !== null || pages.count >= rows.maxRows
  const count = fresh.length + pages.count + (isEnded ? 0 : PLACEHOLDERS)
  const last = Math.min(rows.last, count - 1)
  const indexes = Array.from({ length: Math.max(0, last - rows.first + 1) }, (_, offset) => rows.first + offset)
  // One after the other: events may arrive faster than a list is loaded.
  useReload(isFollowing && !pages.isFetchingMore ? unlisted : 0, onOutdated)

  const eventAt = (index: number): LogEvent | undefined =>
    index < fresh.length ? fresh[index] : pages.row(index - fresh.length)
  const focusRow = (index: number) => {
    const target = Math.min(Math.max(index, 0), fresh.length + pages.count - 1)
    setFocused(target - fresh.length)
    rows.reveal(target)
    // A row that was off the screen is drawn with the next frame.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => scroller?.querySelector<HTMLElement>(`[data-index="${target}"] a`)?.focus()),
    )
  }
  // After Enter in the search field, once there are results.
  useEffect(() => {
    const grant = () => {
      const first = eventAt(0)
      const wish = first || isEnded ? takeWish(search.q) : undefined
      if (!wish || !first) return
      focusRow(0)
      if (wish.isOpened) onOpen(first.id, first.domain_name)
    }
    grant()
    return onWish(grant)
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: 15, PageUp: -15 }[event.key]
    const current = focused + fresh.length
    if (step !== undefined) focusRow(current + step)
    else if (event.key === 'Home') focusRow(0)
    else if (event.key === 'End') focusRow(count)
    else return
    event.preventDefault()
  }

  if (pages.count === 0 && fresh.length === 0 && isEnded) {
    if (pages.error) return <Failure what="Could not load the log" error={pages.error} onRetry={onReload} />
    return <LogEmpty />
  }
  return (
    <div className="column log-list" data-layout={layout}>
      {pending > 0 && (
        <button
          type="button"
          className="small medium log-new"
          onClick={() => {
            scroller?.scrollTo({ top: 0 })
            setAtTop(true)
            onResume()
          }}
        >
          {formatCount(pending)} new
        </button>
      )}
      <div
        role="table"
        aria-label="Events, newest first"
        aria-rowcount={isEnded ? count + 1 : -1}
        className="column log-table"
        style={{ '--columns': template } as CSSProperties}
      >
        {layout === 'wide' && <LogHead columns={columns} />}
        <div
          ref={setScroller}
          role="rowgroup"
          className="log-rows"
          data-testid="log-rows"
          onScroll={(event) => setAtTop(event.currentTarget.scrollTop <= AT_TOP_PX)}
          onPointerEnter={({ pointerType }) => setPointedAt(pointerType === 'mouse')}
          onPointerLeave={() => setPointedAt(false)}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          onKeyDown={onKeyDown}
        >
          <div role="presentation" className="log-canvas" style={{ height: count * rowPx }}>
            {indexes.map((index) => {
              const event = eventAt(index)
              const position = { index, top: index * rowPx, height: rowPx }
              // The key follows the event: a row that moves down for new ones keeps its element and the focus.
              const key = index - fresh.length
              if (!event) return <LogRowPlaceholder key={key} {...position} />
              return (
                <LogRow
                  key={key}
                  {...position}
                  event={event}
                  search={search}
                  columns={columns}
                  isFresh={index < fresh.length}
                  isFocusable={key === focused || (index === 0 && focused === 0)}
                  onOpen={() => {
                    setFocused(key)
                    onOpen(event.id, event.domain_name)
                  }}
                />
              )
            })}
          </div>
          <div role="presentation">
            <LogFoot pages={pages} maxRows={rows.maxRows} />
          </div>
        </div>
      </div>
    </div>
  )
}

function LogHead({ columns }: Pick<FittedLook, 'columns'>) {
  return (
    <div role="row" className="muted medium log-head">
      {columns.map((column) => (
        <span key={column} role="columnheader" className={`log-${column}`}>
          {COLUMN_SIZES[column].title}
        </span>
      ))}
    </div>
  )
}
