/** Which time is looked at: one of the usual ranges, or between two moments. */
import { useState } from 'react'
import { useCurrentSession } from '../frame/session-context.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { formatDayOfMonth, formatExact, formatShortClock } from '../kit/format.ts'
import { Icon } from '../kit/icon.tsx'
import { Menu, MenuItem } from '../kit/menu.tsx'
import { type LogSearch, type LogWindow, RANGES, type Range, windowTimes } from './log-search.ts'
import type { ChangeSearch } from './use-log-search.ts'

interface WindowMenuProps {
  readonly search: LogSearch
  readonly onChange: ChangeSearch
  readonly nowMs: number
}

export function WindowMenu({ search, onChange, nowMs }: WindowMenuProps) {
  const { retentionDays } = useCurrentSession()
  const [isAsking, setAsking] = useState(false)
  const { fromMs, toMs } = windowTimes(search.window, nowMs, retentionDays)
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="chip chip-button" title={`${formatExact(fromMs)}\n– ${formatExact(toMs)}`}>
            <span className="chip-text">{describeWindow(search.window)}</span>
            <Icon name="down" />
          </button>
        }
      >
        {(Object.keys(RANGES) as Range[]).map((range) => (
          <MenuItem key={range} onSelect={() => onChange({ ...search, window: { last: range } })}>
            {RANGES[range].label}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setAsking(true)}>Between …</MenuItem>
      </Menu>
      {isAsking && (
        <BetweenDialog
          fromMs={fromMs}
          toMs={toMs}
          onClose={() => setAsking(false)}
          onChoose={(window) => {
            setAsking(false)
            onChange({ ...search, window })
          }}
        />
      )}
    </>
  )
}

function describeWindow(window: LogWindow): string {
  if ('last' in window) return RANGES[window.last].label
  const [from, to] = [Date.parse(window.from ?? ''), Date.parse(window.to ?? '')]
  const day = (ms: number) => (Number.isNaN(ms) ? '…' : `${formatDayOfMonth(ms)} ${formatShortClock(ms)}`)
  const isOneDay = formatDayOfMonth(from || 0) === formatDayOfMonth(to || 0)
  return `${day(from)} – ${isOneDay && !Number.isNaN(to) ? formatShortClock(to) : day(to)}`
}

interface BetweenDialogProps {
  readonly fromMs: number
  readonly toMs: number
  readonly onClose: () => void
  readonly onChoose: (window: LogWindow) => void
}

function BetweenDialog({ fromMs, toMs, onClose, onChoose }: BetweenDialogProps) {
  const [from, setFrom] = useState(toInput(fromMs))
  const [to, setTo] = useState(toInput(toMs))
  const isBackwards = Date.parse(from) >= Date.parse(to)
  return (
    <Dialog title="Events between" isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBackwards) onChoose({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
        }}
      >
        <Field
          label="From"
          type="datetime-local"
          required
          value={from}
          onChange={(e) => setFrom(e.currentTarget.value)}
        />
        <Field
          label="To"
          type="datetime-local"
          required
          value={to}
          onChange={(e) => setTo(e.currentTarget.value)}
          problem={isBackwards ? 'The end has to be after the beginning' : undefined}
          hint={`In your zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
        />
        <div className="dialog-actions">
          <Button look="strong" type="submit" disabled={isBackwards}>
            Show events
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** What the browser's field wants: local, without a zone. */
function toInput(timeMs: number): string {
  const offsetMs = new Date(timeMs).getTimezoneOffset() * 60_000
  return new Date(timeMs - offsetMs).toISOString().slice(0, 16)
}
