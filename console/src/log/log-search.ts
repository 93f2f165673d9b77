/**
 * What the log is asked for. It lives in the address: a link shows what its sender saw, the back button undoes, a reload
 * restores. The names are those of GET /v1/events, so what stands in the address can be read in the API reference.
 */
import { isEventType } from '../kit/event-kinds.ts'

/** Filters that take several values, and those that take one. */
export const FILTER_NAMES = [
  'type',
  'domain',
  'recipient',
  'subject',
  'code',
  'provider',
  'classification',
  'sender',
  'header_from',
  'message_id',
] as const
export type FilterName = (typeof FILTER_NAMES)[number]

const SEVERAL: ReadonlySet<FilterName> = new Set(['type', 'domain', 'code', 'provider', 'classification'])

export const FILTER_LABELS: Readonly<Record<FilterName, string>> = {
  type: 'Type',
  domain: 'Domain',
  recipient: 'Recipient',
  subject: 'Subject',
  code: 'Code',
  provider: 'Provider',
  classification: 'Reason',
  sender: 'Envelope sender',
  header_from: 'From',
  message_id: 'Message id',
}

export const RANGES = {
  '1h': { label: 'Last hour', hours: 1 },
  '24h': { label: 'Last 24 hours', hours: 24 },
  '7d': { label: 'Last 7 days', hours: 7 * 24 },
  '15d': { label: 'Last 15 days', hours: 15 * 24 },
  '30d': { label: 'Last 30 days', hours: 30 * 24 },
  all: { label: 'All that is kept', hours: undefined },
} as const
export type Range = keyof typeof RANGES

export const DEFAULT_RANGE: Range = '15d'

/** Relative to now, or fixed. `to` may be missing: until now. */
export type LogWindow =
  | { readonly last: Range }
  | { readonly from: string | undefined; readonly to: string | undefined }

export type LogFilters = { readonly [name in FilterName]?: readonly string[] }

export interface LogSearch {
  readonly q: string
  readonly filters: LogFilters
  readonly window: LogWindow
  readonly isLive: boolean
  /** The message whose panel is open, and the domain it is of. */
  readonly message: string | undefined
  readonly messageDomain: string | undefined
}

/** Whatever stands in the address: what makes no sense is left out. */
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
    message: params.get('message') ?? undefined,
    messageDomain: params.get('in') ?? undefined,
  }
}

function readFilter(params: URLSearchParams, name: FilterName): readonly string[] {
  const values = [...new Set(params.getAll(name).filter((value) => value !== ''))]
  if (name === 'type') return values.filter(isEventType)
  return SEVERAL.has(name) ? values : values.slice(0, 1)
}

/** For the address: with its question mark, empty where nothing is asked for. */
export function writeLogSearch({ q, filters, window, isLive, message, messageDomain }: LogSearch): string {
  const params = new URLSearchParams()
  if (q !== '') params.set('q', q)
  appendFilters(params, filters)
  if ('last' in window) {
    if (window.last !== DEFAULT_RANGE) params.set('last', window.last)
  } else {
    if (window.from !== undefined) params.set('from', window.from)
    if (window.to !== undefined) params.set('to', window.to)
  }
  if (isLive) params.set('live', '1')
  if (message !== undefined) params.set('message', message)
  if (messageDomain !== undefined) params.set('in', messageDomain)
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

/** A link into the log. */
export function logLink(
  search: Partial<Pick<LogSearch, 'q' | 'filters' | 'window' | 'message' | 'messageDomain'>>,
): string {
  return `/log${writeLogSearch({ ...parseLogSearch(''), ...search })}`
}

export interface WindowTimes {
  readonly fromMs: number
  readonly toMs: number
}

/** Relative windows begin on a full minute, so that asking again asks the same. */
export function windowTimes(window: LogWindow, nowMs: number, retentionDays: number): WindowTimes {
  const keptFromMs = nowMs - retentionDays * 86_400_000
  if ('last' in window) {
    const { hours } = RANGES[window.last]
    return { fromMs: hours === undefined ? keptFromMs : nowMs - hours * 3_600_000, toMs: nowMs }
  }
  const fromMs = Date.parse(window.from ?? '')
  const toMs = Date.parse(window.to ?? '')
  return { fromMs: Number.isNaN(fromMs) ? keptFromMs : fromMs, toMs: Number.isNaN(toMs) ? nowMs : toMs }
}

/** Filters and search as parameters of GET /v1/events and of the stream; without the window. */
export function filterParams({ q, filters }: Pick<LogSearch, 'q' | 'filters'>): URLSearchParams {
  const params = new URLSearchParams()
  if (q !== '') params.set('q', q)
  appendFilters(params, filters)
  return params
}

/** All parameters of GET /v1/events. A window that ends now has no end: what comes in meanwhile is new all the same. */
export function eventsParams(search: LogSearch, nowMs: number, retentionDays: number): URLSearchParams {
  const params = filterParams(search)
  const { fromMs } = windowTimes(search.window, nowMs, retentionDays)
  params.set('from', new Date(fromMs).toISOString())
  if ('from' in search.window && search.window.to !== undefined) params.set('to', search.window.to)
  return params
}

function appendFilters(params: URLSearchParams, filters: LogFilters): void {
  for (const name of FILTER_NAMES) for (const value of filters[name] ?? []) params.append(name, value)
}

/** With a filter set, or taken away where there are no values. */
export function withFilter(search: LogSearch, name: FilterName, values: readonly string[]): LogSearch {
  const { [name]: _former, ...others } = search.filters
  return { ...search, filters: values.length === 0 ? others : { ...others, [name]: values } }
}

export function withFilterValue(search: LogSearch, name: FilterName, value: string, isOn: boolean): LogSearch {
  const others = (search.filters[name] ?? []).filter((other) => other !== value)
  if (!isOn) return withFilter(search, name, others)
  return withFilter(search, name, SEVERAL.has(name) ? [...others, value] : [value])
}

export function isNarrowed({ q, filters }: LogSearch): boolean {
  return q !== '' || Object.keys(filters).length > 0
}
