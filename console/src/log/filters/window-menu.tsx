/** The time window: a common range, or between two times, typed in words or chosen. */
import { useState } from 'react'
import { useCurrentSession } from '../../api/session.ts'
import { Field } from '../../kit/field.tsx'
import { Icon } from '../../kit/marks/icon.tsx'
import { FormDialog } from '../../kit/overlays/dialog.tsx'
import { Menu, MenuItem } from '../../kit/overlays/menu.tsx'
import { formatExact } from '../../kit/text/format.ts'
import { currentZone, offsetMs, zoneName } from '../../kit/text/zone.ts'
import { describeWindow } from '../../search/describe-search.ts'
import { fixedWindow, type LogWindow, RANGES, type Range, windowTimes } from '../../search/log-search.ts'
import { parseTypedWindow, wholeDay } from '../../search/typed-window.ts'
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
        <MenuItem onSelect={() => onChange({ ...search, window: todayOf(nowMs) })}>Today</MenuItem>
        <MenuItem onSelect={() => onChange({ ...search, window: fixedWindow(wholeDay(1, nowMs)) })}>Yesterday</MenuItem>
        <MenuItem onSelect={() => setAsking(true)}>Custom range…</MenuItem>
      </Menu>
      {isAsking && (
        <BetweenDialog
          fromMs={fromMs}
          toMs={toMs}
          nowMs={nowMs}
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

/** Without an end: new events belong to it. */
function todayOf(nowMs: number): LogWindow {
  return { from: new Date(wholeDay(0, nowMs).fromMs).toISOString(), to: undefined }
}

interface BetweenDialogProps {
  readonly fromMs: number
  readonly toMs: number
  readonly nowMs: number
  readonly onClose: () => void
  readonly onChoose: (window: LogWindow) => void
}

function BetweenDialog({ fromMs, toMs, nowMs, onClose, onChoose }: BetweenDialogProps) {
  const [typed, setTyped] = useState('')
  const [from, setFrom] = useState(toInput(fromMs))
  const [to, setTo] = useState(toInput(toMs))
  const times = { fromMs: fromInput(from), toMs: fromInput(to) }
  const isUnclear = typed.trim() !== '' && !parseTypedWindow(typed, nowMs)
  const type = (text: string) => {
    setTyped(text)
    const window = parseTypedWindow(text, nowMs)
    if (!window) return
    setFrom(toInput(window.fromMs))
    setTo(toInput(window.toMs))
  }
  const isBackwards = times.fromMs >= times.toMs
  const field = { type: 'datetime-local', required: true } as const
  return (
    <FormDialog
      title="Custom time range"
      action="Show events"
      canSubmit={!isBackwards && !isUnclear}
      onClose={onClose}
      onSubmit={() => onChoose(fixedWindow(times))}
    >
      <Field
        label="Range"
        value={typed}
        placeholder="3 Nov 14:00–16:00"
        onChange={(event) => type(event.currentTarget.value)}
        error={isUnclear ? 'Not understood. Try 90m, yesterday or 3 Nov 14:00–16:00.' : undefined}
        hint="Such as 90m, yesterday, 3 Nov or 3 Nov 14:00–16:00. Or choose:"
      />
      <Field {...field} label="From" value={from} onChange={(event) => setFrom(event.currentTarget.value)} />
      <Field
        {...field}
        label="To"
        value={to}
        onChange={(event) => setTo(event.currentTarget.value)}
        error={isBackwards ? 'The end must be after the start.' : undefined}
        hint={`In the time zone ${zoneName()}`}
      />
    </FormDialog>
  )
}

/** The value of a datetime-local field: a time of the page's zone, without its name. */
function toInput(timeMs: number): string {
  return new Date(timeMs + offsetMs(timeMs)).toISOString().slice(0, 16)
}

function fromInput(text: string): number {
  return Date.parse(currentZone() === 'utc' ? `${text}Z` : text)
}
