/** The time window: a common range, or between two times. */
import { useState } from 'react'
import { useCurrentSession } from '../../api/session.ts'
import { FormDialog } from '../../kit/dialog.tsx'
import { Field } from '../../kit/field.tsx'
import { Icon } from '../../kit/marks/icon.tsx'
import { Menu, MenuItem } from '../../kit/menu.tsx'
import { formatDayOfMonth, formatExact, formatShortClock } from '../../kit/text/format.ts'
import { fixedWindow, type LogWindow, RANGES, type Range, windowTimes } from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'

export function WindowMenu({ nowMs }: { readonly nowMs: number }) {
  const [search, onChange] = useLogSearch()
  const { retentionDays } = useCurrentSession()
  const [isAsking, setAsking] = useState(false)
  const { fromMs, toMs } = windowTimes(search.window, nowMs, retentionDays)
  return (
    <>
      <Menu
        trigger={
          <button
            type="button"
            className="chip chip-button small"
            title={`${formatExact(fromMs)}\n– ${formatExact(toMs)}`}
          >
            <span className="truncate">{describeWindow(search.window)}</span>
            <Icon name="down" />
          </button>
        }
      >
        {(Object.keys(RANGES) as Range[]).map((range) => (
          <MenuItem key={range} onSelect={() => onChange({ ...search, window: { last: range } })}>
            {RANGES[range].label}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setAsking(true)}>Custom range…</MenuItem>
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
  const times = { fromMs: Date.parse(from), toMs: Date.parse(to) }
  const isBackwards = times.fromMs >= times.toMs
  const field = { type: 'datetime-local', required: true } as const
  return (
    <FormDialog
      title="Custom time range"
      action="Show events"
      canSubmit={!isBackwards}
      onClose={onClose}
      onSubmit={() => onChoose(fixedWindow(times))}
    >
      <Field {...field} label="From" value={from} onChange={(event) => setFrom(event.currentTarget.value)} />
      <Field
        {...field}
        label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={isBackwards ? 'The end must be after the start.' : undefined}
        hint={`In your time zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`}
      />
    </FormDialog>
  )
}

/** The value of a datetime-local field: local time, without a zone. */
function toInput(timeMs: number): string {
  const offsetMs = new Date(timeMs).getTimezoneOffset() * 60_000
  return new Date(timeMs - offsetMs).toISOString().slice(0, 16)
}
