/** The values of the events found, with their counts, beside the list. A value is shown alone or left out with one click. */
import { useState } from 'react'
import { ApiError } from '../../api/request.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { isEventType } from '../../kit/marks/event-kinds.ts'
import { TypeGlyph } from '../../kit/marks/event-type.tsx'
import { messageOf, Skeleton } from '../../kit/states.tsx'
import { formatCount, formatDayOfMonth, formatShortClock, formatShortCount } from '../../kit/text/format.ts'
import { type ExcludableName, excludingName, FILTERS, withValue } from '../../search/log-search.ts'
import { useLogSearch } from '../../search/use-log-search.ts'
import { labelOfValue } from '../../search/value-label.ts'
import { type Facet, type Facets, useFacets } from './use-facets.ts'
import './facet-rail.css'

interface FacetRailProps {
  /** Parameters of GET /v1/events for the events shown. */
  readonly params: string
  readonly epoch: number
}

const REFETCH_MS = 30_000

export function FacetRail({ params, epoch }: FacetRailProps) {
  const [search] = useLogSearch()
  const [isOpen, setOpen] = useState(readIsOpen)
  const toggle = () => {
    keepIsOpen(!isOpen)
    setOpen(!isOpen)
  }
  const fromMs = Date.parse(new URLSearchParams(params).get('from') ?? '')
  const { data, error, refetch } = useFacets(params, {
    isEnabled: isOpen,
    epoch,
    refetchMs: search.isLive && REFETCH_MS,
  })
  return (
    <aside className="facets" aria-label="Counts" data-open={isOpen}>
      <Button look="quiet" className="facets-toggle" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? 'Hide counts' : 'Counts'}
      </Button>
      {isOpen && (
        <div className="facets-body">
          {data && <Total facets={data} fromMs={fromMs} />}
          {data?.facets.map((facet) => facet.values.length > 0 && <FacetGroup key={facet.name} facet={facet} />)}
          {!data && error && <NotCounted error={error} onRetry={refetch} />}
          {!data && !error && <Skeleton lines={12} />}
        </div>
      )}
    </aside>
  )
}

/** Quiet, because the list has the page's message, and its retry counts again as well. */
function NotCounted({ error, onRetry }: { readonly error: Error; readonly onRetry: () => unknown }) {
  const isUnreachable = error instanceof ApiError && error.status === 0
  return (
    <div className="stack gap-4 facets-failure">
      <p className="muted small foreign">Could not count the events. {isUnreachable ? '' : messageOf(error)}</p>
      <Button onClick={() => void onRetry()}>Count again</Button>
    </div>
  )
}

/** Closed on small screens until it is wanted: it would cover the list. */
const KEY = 'envelog-counts'

function readIsOpen(): boolean {
  const kept = localStorage.getItem(KEY)
  return kept === null ? window.matchMedia('(min-width: 1200px)').matches : kept === 'open'
}

function keepIsOpen(isOpen: boolean): void {
  localStorage.setItem(KEY, isOpen ? 'open' : 'closed')
}

function Total({ facets, fromMs }: { readonly facets: Facets; readonly fromMs: number }) {
  const { total, isExact } = facets
  return (
    <p className="stack gap-2 facets-total" aria-live="polite">
      <span>
        {isExact ? '' : isPartial(facets, fromMs) ? '≥ ' : '≈ '}
        {formatCount(total)} {total === 1 ? 'event' : 'events'}
      </span>
      {!isExact && <span className="muted small">{describeCounted(facets, fromMs)}</span>}
    </p>
  )
}

/** Older events of the window were not counted. */
function isPartial({ isExact, countedFrom }: Pick<Facets, 'isExact' | 'countedFrom'>, fromMs: number): boolean {
  return !isExact && Date.parse(countedFrom) > fromMs
}

/** Why it is not exact. */
export function describeCounted({ countedFrom }: Pick<Facets, 'countedFrom'>, fromMs: number): string {
  const countedMs = Date.parse(countedFrom)
  if (countedMs <= fromMs) return 'in whole hours'
  return `counted back to ${formatDayOfMonth(countedMs)} ${formatShortClock(countedMs)}`
}

function FacetGroup({ facet }: { readonly facet: Facet }) {
  const { name, values, more, isExact, isNewestOnly } = facet
  const { label } = FILTERS[name]
  const largest = values[0]?.count ?? 1
  const sign = isExact ? '' : isNewestOnly ? '≥' : '≈'
  return (
    // A list with a name, not a region: so many landmarks would hide those of the page.
    <div className="stack gap-2">
      <h2 className="muted small medium facets-name">{label}</h2>
      <ul className="stack facets-values" aria-label={label}>
        {values.map(({ value, count }) => (
          <FacetValue key={value} name={name} value={value} count={count} share={count / largest} sign={sign} />
        ))}
      </ul>
      {more > 0 && <p className="muted small facets-more">{formatCount(more)} more</p>}
    </div>
  )
}

interface FacetValueProps {
  readonly name: ExcludableName
  readonly value: string
  readonly count: number
  /** Of the most frequent value. */
  readonly share: number
  /** Before the count, if that is not exact. */
  readonly sign: string
}

function FacetValue({ name, value, count, share, sign }: FacetValueProps) {
  const [search, onChange] = useLogSearch()
  const shown = labelOfValue(name, value)
  const isOnly = search.filters[name]?.includes(value) ?? false
  const isLeftOut = search.filters[excludingName(name)]?.includes(value) ?? false
  const { label } = FILTERS[name]
  return (
    <li className="row hoverable facets-value">
      <i className="facets-bar" style={{ width: `${Math.max(1, share * 80)}%` }} />
      <button
        type="button"
        className="row gap-6 grow inset-focus facets-choice"
        aria-pressed={isOnly}
        title={`Only ${label.toLowerCase()} ${shown}`}
        onClick={() => onChange(withValue(search, name, value, true))}
      >
        {name === 'type' && isEventType(value) && <TypeGlyph type={value} />}
        <bdi className={`foreign ${name === 'reply' ? 'facets-text' : 'truncate'}`}>{shown}</bdi>
        <span className="push muted facets-count" title={formatCount(count)}>
          {sign}
          {formatShortCount(count)}
        </span>
      </button>
      <IconButton
        icon="close"
        label={`Leave out ${label.toLowerCase()} ${shown}`}
        className="facets-exclude"
        aria-pressed={isLeftOut}
        onClick={() => onChange(withValue(search, name, value, false))}
      />
    </li>
  )
}
