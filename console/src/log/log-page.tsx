/** The log page: filters and histogram on top, the events below, the open message beside them. */
import { useEffect, useMemo, useState } from 'react'
import { useCurrentSession, useScope } from '../api/session.ts'
import { isSomethingOpen, isTyping } from '../frame/use-global-keys.ts'
import { MessagePanel } from '../message/message-panel.tsx'
import { DEFAULT_RANGE, eventsParams, filterParams, writeLogSearch } from '../search/log-search.ts'
import { useLogSearch } from '../search/use-log-search.ts'
import { FilterBar } from './filters/filter-bar.tsx'
import { Histogram } from './histogram/histogram.tsx'
import { LogList } from './list/log-list.tsx'
import { useLiveEvents } from './list/use-live-events.ts'

/** The end of relative windows. It changes only when the list is loaded again. */
interface Anchor {
  readonly nowMs: number
  readonly epoch: number
}

const advance = ({ epoch }: Anchor): Anchor => ({ nowMs: Date.now(), epoch: epoch + 1 })

export function LogPage() {
  const { retentionDays } = useCurrentSession()
  const [search, changeSearch] = useLogSearch()
  const [anchor, setAnchor] = useState<Anchor>(() => ({ nowMs: Date.now(), epoch: 0 }))
  const [streamEpoch, setStreamEpoch] = useState(0)
  const hasStats = useScope('domainStats')

  const params = useMemo(
    () => eventsParams(search, anchor.nowMs, retentionDays).toString(),
    [search, anchor.nowMs, retentionDays],
  )
  // The list is loaded again once the stream is open, so that there is no gap between them.
  const live = useLiveEvents(search.isLive, filterParams(search).toString(), streamEpoch, () => setAnchor(advance))
  const reload = () => {
    setAnchor(advance)
    setStreamEpoch((epoch) => epoch + 1)
  }
  const open = (message: string | undefined, domain?: string) =>
    changeSearch({ ...search, message, messageDomain: domain })
  const toggleLive = () => {
    // New events are never inside a fixed window.
    const window = 'last' in search.window || search.isLive ? search.window : { last: DEFAULT_RANGE }
    changeSearch({ ...search, window, isLive: !search.isLive }, { isReplacing: true })
  }
  useLogKeys({ onReload: reload, onToggleLive: toggleLive })

  return (
    <div className="log" data-has-panel={search.message !== undefined}>
      <div className="column">
        <h1 className="visually-hidden">Log</h1>
        <FilterBar params={params} nowMs={anchor.nowMs} live={live.state} onToggleLive={toggleLive} onReload={reload} />
        {hasStats && <Histogram nowMs={anchor.nowMs} epoch={anchor.epoch} />}
        <LogList
          // A different search starts at the top of the list.
          key={writeLogSearch({ ...search, message: undefined, messageDomain: undefined })}
          question={{ params, epoch: anchor.epoch }}
          live={live}
          onOpen={open}
          onReload={reload}
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

function useLogKeys({ onReload, onToggleLive }: { readonly onReload: () => void; readonly onToggleLive: () => void }) {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return
      if (isTyping(event.target) || isSomethingOpen()) return
      if (event.key === 'ArrowDown' || event.key === 'j') focusList()
      else if (event.key === 'r') onReload()
      else if (event.key === 'l') onToggleLive()
      else if (event.key === 'f') document.querySelector<HTMLElement>('[data-add-filter]')?.click()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  })
}
