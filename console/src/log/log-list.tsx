/** The events, drawn as far as they are on the screen. Arrows walk, Enter opens; new ones never move what is being read. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import type { LogEvent } from '../../../src/http/v1/events.wire.ts'
import { formatCount } from '../kit/format.ts'
import { Failure } from '../kit/states.tsx'
import { LogEmpty } from './log-empty.tsx'
import { LogFoot, ROWS_MOST } from './log-foot.tsx'
import { LogRow, LogRowPlaceholder } from './log-row.tsx'
import { isNarrowed, type LogSearch } from './log-search.ts'
import { useElementWidth } from './use-element-width.ts'
import { useFreshEvents } from './use-fresh-events.ts'
import type { LiveEvents } from './use-live-events.ts'
import { type LogQuestion, useLogPages } from './use-log-pages.ts'
import type { ChangeSearch } from './use-log-search.ts'
import { useRowWindow } from './use-row-window.ts'
import './log-list.css'

interface LogListProps {
  readonly question: LogQuestion
  readonly search: LogSearch
  readonly live: LiveEvents
  readonly onOpen: (message: string, domain: string) => void
  readonly onChange: ChangeSearch
  readonly onReload: () => void
}

const ROW_PX = { wide: 36, narrow: 76 } as const
const NARROW_PX = 600
/** Grey rows below the last one that is known, so that scrolling never meets an end that is none. */
const PLACEHOLDERS = 3
const AT_TOP_PX = 4

export function LogList({ question, search, live, onOpen, onChange, onReload }: LogListProps) {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const width = useElementWidth(scroller)
  const layout = width > 0 && width < NARROW_PX ? 'narrow' : 'wide'
  const rowPx = ROW_PX[layout]
  const rows = useRowWindow(scroller, rowPx)
  const [focused, setFocused] = useState(0)
  const [isAtTop, setAtTop] = useState(true)

  const freshCount = useRef(0)
  const pages = useLogPages(question, Math.max(0, rows.first - freshCount.current), rows.last - freshCount.current)
  const { fresh, pending } = useFreshEvents(live, pages.row, pages.count, isAtTop, question.epoch)
  freshCount.current = fresh.length
  const isEnded = pages.isComplete || pages.error !== null || pages.count >= ROWS_MOST
  const count = fresh.length + pages.count + (isEnded ? 0 : PLACEHOLDERS)
  const last = Math.min(rows.last, count - 1)
  const indexes = Array.from({ length: Math.max(0, last - rows.first + 1) }, (_, place) => rows.first + place)
  useEffect(() => {
    if (live.uncounted > 0 && isAtTop) onReload()
  }, [live.uncounted, isAtTop, onReload])

  const eventAt = (index: number): LogEvent | undefined =>
    index < fresh.length ? fresh[index] : pages.row(index - fresh.length)
  const focusRow = (index: number) => {
    const target = Math.min(Math.max(index, 0), fresh.length + pages.count - 1)
    setFocused(target - fresh.length)
    rows.reveal(target)
    // Drawn with the next frame when it was off the screen.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => scroller?.querySelector<HTMLElement>(`[data-index="${target}"] a`)?.focus()),
    )
  }
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
    if (pages.error) return <Failure what="The log could not be read" error={pages.error} onRetry={pages.retry} />
    return <LogEmpty search={search} isNarrowed={isNarrowed(search)} onChange={onChange} />
  }
  return (
    <div className="log-list" data-layout={layout}>
      {pending > 0 && (
        <button
          type="button"
          className="log-new"
          onClick={() => {
            scroller?.scrollTo({ top: 0 })
            setAtTop(true)
          }}
        >
          {formatCount(pending)} new
        </button>
      )}
      <div
        role="table"
        aria-label="Events, newest first"
        aria-rowcount={isEnded ? count + 1 : -1}
        className="log-table"
      >
        {layout === 'wide' && <LogHead />}
        <div
          ref={setScroller}
          role="rowgroup"
          className="log-rows"
          data-testid="log-rows"
          onScroll={(event) => setAtTop(event.currentTarget.scrollTop <= AT_TOP_PX)}
          onKeyDown={onKeyDown}
        >
          <div role="presentation" className="log-canvas" style={{ height: count * rowPx }}>
            {indexes.map((index) => {
              const event = eventAt(index)
              const place = { index, top: index * rowPx, height: rowPx }
              // Keys go with what is in the row: one that moves down because others came keeps its element, and the focus.
              const key = index - fresh.length
              if (!event) return <LogRowPlaceholder key={key} {...place} />
              return (
                <LogRow
                  key={key}
                  {...place}
                  event={event}
                  search={search}
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
            <LogFoot pages={pages} />
          </div>
        </div>
      </div>
    </div>
  )
}

function LogHead() {
  return (
    <div role="row" className="log-head">
      {['Time', 'Event', 'Code', 'Recipient', 'Subject', 'Answer', 'Provider'].map((title) => (
        <span key={title} role="columnheader" className={`log-${title.toLowerCase()}`}>
          {title}
        </span>
      ))}
    </div>
  )
}
