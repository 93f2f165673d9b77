/** The log's filters as removable chips, and actions on the result: live, reload, copy as curl, export. */
import { useReading } from '../../api/reading.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy-button.tsx'
import { isEventType } from '../../kit/marks/event-kinds.ts'
import { TypeGlyph } from '../../kit/marks/event-type.tsx'

import { Menu, MenuItem } from '../../kit/overlays/menu.tsx'
import { printable } from '../../kit/text/printable.ts'
import { FILTER_NAMES, FILTERS, type FilterName, withFilterValue } from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { labelOfValue } from '../../search/value-label.ts'
import type { LiveState } from '../list/use-live-events.ts'
import type { ShownLook } from '../list/use-log-look.ts'
import { ViewsMenu } from '../views/views-menu.tsx'
import { FilterPopover } from './filter-popover.tsx'
import { LookMenu } from './look-menu.tsx'
import { WindowMenu } from './window-menu.tsx'
import './filter-bar.css'

interface FilterBarProps {
  /** Parameters of GET /v1/events for the events shown. */
  readonly params: string
  readonly nowMs: number
  readonly live: LiveState
  readonly onToggleLive: () => void
  readonly isPaused: boolean
  readonly onTogglePause: () => void
  readonly onReload: () => void
  readonly look: ShownLook
}

export function FilterBar({ params, nowMs, live, onReload, ...bar }: FilterBarProps) {
  const [search, onChange] = useLogSearch()
  const chips = FILTER_NAMES.flatMap((name) => (search.filters[name] ?? []).map((value) => ({ name, value })))
  return (
    <div className="row filter-bar">
      <div className="row wrap grow gap-6 filter-chips">
        <WindowMenu nowMs={nowMs} />
        {search.q !== '' && <Chip label="search" value={search.q} onRemove={() => onChange({ ...search, q: '' })} />}
        {chips.map(({ name, value }) => (
          <Chip
            key={`${name} ${value}`}
            label={FILTERS[name].label.toLowerCase()}
            value={value}
            name={name}
            onRemove={() => onChange(withFilterValue(search, name, value, false))}
          />
        ))}
        <FilterPopover />
      </div>
      <div className="row gap-2 filter-actions">
        <LiveButton state={live} onToggle={bar.onToggleLive} />
        {live !== 'off' && <PauseButton isPaused={bar.isPaused} onToggle={bar.onTogglePause} />}
        <IconButton icon="refresh" label="Reload (r)" onClick={onReload} />
        <ViewsMenu />
        <LookMenu {...bar.look} />
        <ExportMenu params={params} />
      </div>
    </div>
  )
}

interface ChipProps {
  readonly label: string
  readonly value: string
  readonly name?: FilterName
  readonly onRemove: () => void
}

function Chip({ label, value, name, onRemove }: ChipProps) {
  const isType = (name === 'type' || name === 'not_type') && isEventType(value)
  const shown = name ? labelOfValue(name, value) : printable(value)
  return (
    <span className="chip small">
      {isType && <TypeGlyph type={value} />}
      <span className="truncate">
        <span className="muted">{label}</span> <bdi className="foreign">{shown}</bdi>
      </span>
      <IconButton icon="close" label={`Remove filter ${label} ${shown}`} className="chip-remove" onClick={onRemove} />
    </span>
  )
}

const LIVE_STATES: Readonly<Record<LiveState, { readonly label: string; readonly look: string }>> = {
  off: { label: 'Live', look: '' },
  connecting: { label: 'Connecting…', look: 'toned tone-amber' },
  open: { label: 'Live', look: 'toned tone-green' },
  waiting: { label: 'Reconnecting…', look: 'toned tone-amber' },
  refused: { label: 'Unavailable', look: 'toned tone-red' },
}

function LiveButton({ state, onToggle }: { readonly state: LiveState; readonly onToggle: () => void }) {
  const { label, look } = LIVE_STATES[state]
  return (
    <Button
      look="quiet"
      className={`live ${look}`}
      data-state={state}
      aria-pressed={state !== 'off'}
      title="Follow new events (l)"
      onClick={onToggle}
    >
      <span className="live-dot" aria-hidden="true" />
      {label}
    </Button>
  )
}

function PauseButton({ isPaused, onToggle }: { readonly isPaused: boolean; readonly onToggle: () => void }) {
  return (
    <Button look="quiet" title={isPaused ? 'Show new events (p)' : 'Hold new events back (p)'} onClick={onToggle}>
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  )
}

function ExportMenu({ params }: { readonly params: string }) {
  const { pathOf } = useReading()
  const url = (format: string) => pathOf('/events', `${params}&format=${format}`)
  const curl = () =>
    `curl -H "Authorization: $ENVELOG_KEY" '${location.origin}${pathOf('/events', params).replaceAll("'", '%27')}'`
  return (
    <>
      <CopyButton label="Copy as curl" text={curl} />
      <Menu
        align="end"
        trigger={
          <Button look="quiet" icon="export">
            Export
          </Button>
        }
      >
        <MenuItem note="for spreadsheets" onSelect={() => download(url('csv'))}>
          CSV
        </MenuItem>
        <MenuItem note="for programs" onSelect={() => download(url('ndjson'))}>
          NDJSON
        </MenuItem>
      </Menu>
    </>
  )
}

/** As a download, which the browser streams to disk: the export may be larger than memory. */
function download(url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
