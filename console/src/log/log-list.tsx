/** The events, drawn as far as they are on the screen. Arrows walk, Enter opens; new ones never move what is being read. */
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import type { LogEvent } from '../../../src/http/v1/events.wire.ts'
import { formatCount, formatLocal } from '../kit/format.ts'
import { Icon } from '../kit/icon.tsx'
import { Failure } from '../kit/states.tsx'
import { LogEmpty } from './log-empty.tsx'
import { LogRow, LogRowPlaceholder } from './log-row.tsx'
import { isNarrowed, type LogSearch } from './log-search.ts'
import { useElementWidth } from './use-element-width.ts'
import type { LiveEvents } from './use-live-events.ts'
import { type LogQuestion, useLogPages } from './use-log-pages.ts'
import type { ChangeSearch } from './use-log-search.ts'
import { useRowWindow } from './use-row-window.ts'

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
/** Browsers draw nothing beyond some millions of pixels. Nobody scrolls so far; who wants all of it exports it. */
const ROWS_MOST = 400_000

export function LogList({ question, search, live, onOpen, onChange, onReload }: LogListProps) {
  const scroller = useRef<HTMLDivElement>(null)
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
    if (live.isOverflowing && isAtTop) onReload()
  }, [live.isOverflowing, isAtTop, onReload])

  const eventAt = (index: number): LogEvent | undefined =>
    index < fresh.length ? fresh[index] : pages.row(index - fresh.length)
  const focusRow = (index: number) => {
    const target = Math.min(Math.max(index, 0), fresh.length + pages.count - 1)
    setFocused(target - fresh.length)
    rows.reveal(target)
    // Drawn with the next frame when it was off the screen.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"] a`)?.focus()),
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
            scroller.current?.scrollTo({ top: 0 })
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
          ref={scroller}
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

/** How it goes on: an error, how far back the search has come, or that this was all. */
function LogFoot({ pages }: { readonly pages: ReturnType<typeof useLogPages> }) {
  if (pages.error) return <Failure what="The rest could not be read" error={pages.error} onRetry={pages.retry} />
  if (pages.isComplete) return <p className="log-foot">{formatCount(pages.count)} events; there are no older ones.</p>
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

/**
 * The new events that are drawn, and the number of those that wait. While the list is scrolled away nothing is added to
 * it. What the list has already, because it was loaded after the stream had begun, is left out.
 */
function useFreshEvents(
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
  return { fresh: arrived.slice(arrived.length - shown), pending: arrived.length - shown }
}

/** Two events differ when any field differs. */
function identify(event: LogEvent): string {
  return JSON.stringify(Object.entries(event).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
