/** The log page: filters and histogram on top, the events below, the open message beside them. */
import { useEffect, useState } from 'react'
import { useCurrentSession, useScope } from '../api/session.ts'
import { isSomethingOpen, isTyping } from '../frame/use-global-keys.ts'
import { MessagePanel } from '../message/message-panel.tsx'
import { DEFAULT_RANGE, eventsParams, filterParams, writeLogSearch } from '../search/log-search.ts'
import { useLogSearch } from '../search/use-log-search.ts'
import { FacetRail } from './facets/facet-rail.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { Histogram } from './histogram/histogram.tsx'
import { LogList } from './list/log-list.tsx'
import { useLiveEvents } from './list/use-live-events.ts'
import { useLogLook } from './list/use-log-look.ts'

/** The end of relative windows. It changes only when the list is loaded again. */
interface Moment {
  readonly nowMs: number
  readonly epoch: number
}

/** Counting takes the server longer than listing. */
interface Anchor {
  readonly list: Moment
  readonly counts: Moment
}

const COUNTS_MS = 30_000

const later = ({ epoch }: Moment): Moment => ({ nowMs: Date.now(), epoch: epoch + 1 })
const advance = ({ list, counts }: Anchor): Anchor => ({ list: later(list), counts: later(counts) })
/** For new events, which may arrive all the time. */
const advanceList = ({ list, counts }: Anchor): Anchor => ({
  list: later(list),
  counts: Date.now() - counts.nowMs < COUNTS_MS ? counts : later(counts),
})

function start(): Anchor {
  const moment = { nowMs: Date.now(), epoch: 0 }
  return { list: moment, counts: moment }
}

export function LogPage() {
  const { retentionDays } = useCurrentSession()
  const [search, changeSearch] = useLogSearch()
  const [{ list, counts }, setAnchor] = useState(start)
  const [streamEpoch, setStreamEpoch] = useState(0)
  const [isPaused, setPaused] = useState(false)
  const hasStats = useScope('domainStats')
  const [column, setColumn] = useState<HTMLElement | null>(null)
  const look = useLogLook(column)

  const paramsAt = (nowMs: number) => eventsParams(search, nowMs, retentionDays).toString()
  const params = paramsAt(list.nowMs)
  // The list is loaded again once the stream is open, so that there is no gap between them.
  const live = useLiveEvents({
    isOn: search.isLive,
    params: filterParams(search).toString(),
    listEpoch: list.epoch,
    streamEpoch,
    onOpen: () => setAnchor(advance),
  })
  const reload = () => {
    setAnchor(advance)
    if (live.state === 'refused') setStreamEpoch((epoch) => epoch + 1)
  }
  const open = (message: string | undefined, domain?: string) =>
    changeSearch({ ...search, message, messageDomain: domain })
  const toggleLive = () => {
    // New events are never inside a fixed window.
    const window = 'last' in search.window || search.isLive ? search.window : { last: DEFAULT_RANGE }
    setPaused(false)
    changeSearch({ ...search, window, isLive: !search.isLive }, { isReplacing: true })
  }
  const togglePause = () => setPaused((wasPaused) => search.isLive && !wasPaused)
  useLogKeys({ r: reload, l: toggleLive, p: togglePause })

  return (
    <div className="log" data-has-panel={search.message !== undefined}>
      <FacetRail params={paramsAt(counts.nowMs)} epoch={counts.epoch} />
      <div className="column" ref={setColumn}>
        <h1 className="visually-hidden">Log</h1>
        <FilterBar
          params={params}
          nowMs={list.nowMs}
          live={live.state}
          onToggleLive={toggleLive}
          isPaused={isPaused}
          onTogglePause={togglePause}
          onReload={reload}
          look={look}
        />
        {hasStats && <Histogram nowMs={counts.nowMs} epoch={counts.epoch} />}
        <LogList
          // A different search starts at the top of the list.
          key={writeLogSearch({ ...search, look: {}, message: undefined, messageDomain: undefined })}
          question={{ params, epoch: list.epoch }}
          look={look.fitted}
          live={live}
          isPaused={isPaused}
          onResume={() => setPaused(false)}
          onOpen={open}
          onReload={reload}
          onOutdated={() => setAnchor(advanceList)}
        />
      </div>
      {search.message !== undefined && (
        <MessagePanel
          key={search.message}
          id={search.message}
          domain={search.messageDomain}
          onClose={() => open(undefined)}
        />
      )}
    </div>
  )
}

/** Focuses the row that last had the focus, or the first. */
function focusList(): void {
  document.querySelector<HTMLElement>('[data-log-row][tabindex="0"]')?.focus()
}

function useLogKeys(actions: Readonly<Record<'r' | 'l' | 'p', () => void>>) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
      if (isTyping(event.target) || isSomethingOpen()) return
      if (event.key === 'ArrowDown' || event.key === 'j') focusList()
      else if (event.key === 'r' || event.key === 'l' || event.key === 'p') actions[event.key]()
      else if (event.key === 'f') document.querySelector<HTMLElement>('[data-add-filter]')?.click()
      else if (event.key === 'v') document.querySelector<HTMLElement>('[data-views-menu]')?.click()
      else if (event.key === 'c') document.querySelector<HTMLElement>('[data-look-menu]')?.click()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
}
