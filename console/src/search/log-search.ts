/**
 * The log's search, as kept in the page's address: a link shows what its sender saw, the back button undoes, a reload
 * restores. The parameter names are those of GET /v1/events.
 */
import type { Series } from '../../../src/http/v1/statistics/series.wire.ts'
import { DAY_MS, HOUR_MS } from '../api/series.ts'
import { isEventType } from '../kit/marks/event-kinds.ts'
import { type LogLook, readLookParams, writeLookParams } from './log-look.ts'

interface Filter {
  readonly label: string
  /** Takes several values. */
  readonly isMultiple?: true
  /** The counts by hour and day can be filtered by it. */
  readonly isCounted?: true
  /** How to type a value. */
  readonly hint?: string
  readonly placeholder?: string
  /** The filter that finds what this one leaves out. */
  readonly excludes?: string
  /** Not among the filters to choose from. */
  readonly isUnlisted?: true
}

const ANY_PART = 'Any part of it, in upper or lower case.'
const COUNTED = { isMultiple: true, isCounted: true } as const
/** A value of them is chosen where it is shown. */
const UNLISTED = { isMultiple: true, isUnlisted: true } as const

const filterTable = {
  type: { ...COUNTED, label: 'Type' },
  domain: { ...COUNTED, label: 'Domain', hint: 'The whole name.', placeholder: 'example.com' },
  recipient: { label: 'Recipient', hint: ANY_PART },
  subject: { label: 'Subject', hint: ANY_PART },
  code: {
    label: 'Code',
    isMultiple: true,
    hint: 'A code (550), a class (4xx) or a range (400-499).',
    placeholder: '550',
  },
  provider: { ...COUNTED, label: 'Provider', hint: 'The exact value.' },
  classification: { ...COUNTED, label: 'Reason', hint: 'The exact value.' },
  sender: { label: 'Envelope sender', hint: ANY_PART },
  header_from: { label: 'From', hint: ANY_PART },
  message_id: { label: 'Message ID', hint: 'The whole ID.', placeholder: '0b7f3c1e-5a7e-…' },
  reply: { ...UNLISTED, label: 'Response' },
  sending_address: { ...UNLISTED, label: 'Sending address' },
  sending_source: { ...UNLISTED, label: 'Sending source' },
  sending_pool: { ...UNLISTED, label: 'Sending pool' },
  not_type: { ...UNLISTED, label: 'Not type', excludes: 'type' },
  not_domain: { ...UNLISTED, label: 'Not domain', excludes: 'domain' },
  not_code: { ...UNLISTED, label: 'Not code', excludes: 'code' },
  not_provider: { ...UNLISTED, label: 'Not provider', excludes: 'provider' },
  not_classification: { ...UNLISTED, label: 'Not reason', excludes: 'classification' },
  not_reply: { ...UNLISTED, label: 'Not response', excludes: 'reply' },
  not_sending_address: { ...UNLISTED, label: 'Not sending address', excludes: 'sending_address' },
  not_sending_source: { ...UNLISTED, label: 'Not sending source', excludes: 'sending_source' },
  not_sending_pool: { ...UNLISTED, label: 'Not sending pool', excludes: 'sending_pool' },
} as const satisfies Readonly<Record<string, Filter>>

export type FilterName = keyof typeof filterTable
export const FILTERS: Readonly<Record<FilterName, Filter>> = filterTable
export const FILTER_NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** Filters whose values can be left out as well. */
export type ExcludableName = Excluded<FilterName>
type Excluded<Name> = Name extends `not_${infer Own extends FilterName}` ? Own : never

/** The filter that leaves out what this one finds. */
export function excludingName(name: ExcludableName): FilterName {
  return `not_${name}`
}

export const RANGES = {
  '1h': { label: 'Last hour', hours: 1 },
  '24h': { label: 'Last 24 hours', hours: 24 },
  '7d': { label: 'Last 7 days', hours: 7 * 24 },
  '15d': { label: 'Last 15 days', hours: 15 * 24 },
  '30d': { label: 'Last 30 days', hours: 30 * 24 },
  all: { label: 'All retained events', hours: undefined },
} as const
export type Range = keyof typeof RANGES

export const DEFAULT_RANGE: Range = '15d'

/** Relative to now, or fixed. Without `to`, the window ends now. */
export type LogWindow =
  | { readonly last: Range }
  | { readonly from: string | undefined; readonly to: string | undefined }

export type LogFilters = { readonly [name in FilterName]?: readonly string[] }

export interface LogSearch {
  readonly q: string
  readonly filters: LogFilters
  readonly window: LogWindow
  readonly isLive: boolean
  readonly look: LogLook
  /** The message whose panel is open, and its domain. */
  readonly message: string | undefined
  readonly messageDomain: string | undefined
}

/** Ignores invalid parameters: anybody can type an address. */
export function parseLogSearch(query: string): LogSearch {
  const params = new URLSearchParams(query)
  const last = params.get('last')
  const [from, to] = [params.get('from') ?? undefined, params.get('to') ?? undefined]
  return {
    q: params.get('q') ?? '',
    filters: Object.fromEntries(
      FILTER_NAMES.map((name) => [name, readFilter(params, name)] as const).filter(([, values]) => values.length > 0),
    ),
    window:
      from !== undefined || to !== undefined
        ? { from, to }
        : { last: last !== null && Object.hasOwn(RANGES, last) ? (last as Range) : DEFAULT_RANGE },
    isLive: params.get('live') === '1',
    look: readLookParams(params),
    message: params.get('message') ?? undefined,
    messageDomain: params.get('in') ?? undefined,
  }
}

function readFilter(params: URLSearchParams, name: FilterName): readonly string[] {
  const values = [...new Set(params.getAll(name).filter((value) => value !== ''))]
  if (name === 'type' || name === 'not_type') return values.filter(isEventType)
  return FILTERS[name].isMultiple ? values : values.slice(0, 1)
}

/** The query string with its question mark; empty for the default search. */
export function writeLogSearch({ q, filters, window, isLive, look, message, messageDomain }: LogSearch): string {
  const params = filterParams({ q, filters })
  if ('last' in window) {
    if (window.last !== DEFAULT_RANGE) params.set('last', window.last)
  } else {
    if (window.from !== undefined) params.set('from', window.from)
    if (window.to !== undefined) params.set('to', window.to)
  }
  if (isLive) params.set('live', '1')
  writeLookParams(look, params)
  if (message !== undefined) params.set('message', message)
  if (messageDomain !== undefined) params.set('in', messageDomain)
  return params.size === 0 ? '' : `?${params}`
}

/** The address of the log with this search. */
export function logLink(
  search: Partial<Pick<LogSearch, 'q' | 'filters' | 'window' | 'message' | 'messageDomain'>>,
): string {
  return `/log${writeLogSearch({ ...parseLogSearch(''), ...search })}`
}

export interface WindowTimes {
  readonly fromMs: number
  readonly toMs: number
}

export function fixedWindow({ fromMs, toMs }: WindowTimes): LogWindow {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() }
}

/** Start and end of a window. "All retained events" begins where retention ends; an unreadable time counts as missing. */
export function windowTimes(window: LogWindow, nowMs: number, retentionDays: number): WindowTimes {
  const retainedFromMs = nowMs - retentionDays * DAY_MS
  if ('last' in window) {
    const { hours } = RANGES[window.last]
    return { fromMs: hours === undefined ? retainedFromMs : nowMs - hours * HOUR_MS, toMs: nowMs }
  }
  const fromMs = Date.parse(window.from ?? '')
  const toMs = Date.parse(window.to ?? '')
  return { fromMs: Number.isNaN(fromMs) ? retainedFromMs : fromMs, toMs: Number.isNaN(toMs) ? nowMs : toMs }
}

/** Search text and filters as parameters of GET /v1/events and of the stream, without the window. */
export function filterParams({ q, filters }: Pick<LogSearch, 'q' | 'filters'>): URLSearchParams {
  const params = new URLSearchParams()
  if (q !== '') params.set('q', q)
  for (const name of FILTER_NAMES) for (const value of filters[name] ?? []) params.append(name, value)
  return params
}

/** Parameters of GET /v1/stats/series. */
export function seriesParams(
  group: Series['group'],
  bucket: Series['bucket'],
  { fromMs, toMs }: WindowTimes,
  filters: LogFilters,
): URLSearchParams {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return new URLSearchParams([...Object.entries({ group, bucket, from, to }), ...filterParams({ q: '', filters })])
}

/** All parameters of GET /v1/events. A window that ends now is sent without an end, so that it includes later events. */
export function eventsParams(search: LogSearch, nowMs: number, retentionDays: number): URLSearchParams {
  const params = filterParams(search)
  const { fromMs } = windowTimes(search.window, nowMs, retentionDays)
  params.set('from', new Date(fromMs).toISOString())
  if ('from' in search.window && search.window.to !== undefined) params.set('to', search.window.to)
  return params
}

/** Adds a value to a filter, or removes it. Filters of a single value replace theirs. */
export function withFilterValue(search: LogSearch, name: FilterName, value: string, isOn: boolean): LogSearch {
  const { [name]: previous = [], ...otherFilters } = search.filters
  const kept = isOn && !FILTERS[name].isMultiple ? [] : previous.filter((other) => other !== value)
  const values = isOn ? [...kept, value] : kept
  return { ...search, filters: values.length === 0 ? otherFilters : { ...otherFilters, [name]: values } }
}

/** Shows only what has the value, or nothing that has it; a second time takes it back. */
export function withValue(search: LogSearch, name: ExcludableName, value: string, isWanted: boolean): LogSearch {
  const [own, other] = isWanted ? [name, excludingName(name)] : [excludingName(name), name]
  const isOn = search.filters[own]?.includes(value) ?? false
  return withFilterValue(withFilterValue(search, other, value, false), own, value, !isOn)
}

export function isFiltered({ q, filters }: LogSearch): boolean {
  return q !== '' || Object.keys(filters).length > 0
}
