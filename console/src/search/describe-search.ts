/** A search of the log in words: what its chips say. */
import { formatDayOfMonth, formatShortClock } from '../kit/text/format.ts'
import { FILTER_NAMES, FILTERS, type LogSearch, type LogWindow, RANGES } from './log-search.ts'
import { labelOfValue } from './value-label.ts'

export function describeSearch({ q, filters, window }: LogSearch): string {
  const chips = FILTER_NAMES.flatMap((name) =>
    (filters[name] ?? []).map((value) => `${FILTERS[name].label.toLowerCase()} ${labelOfValue(name, value)}`),
  )
  return [describeWindow(window), ...(q === '' ? [] : [`search ${q}`]), ...chips].join(' · ')
}

export function describeWindow(window: LogWindow): string {
  if ('last' in window) return RANGES[window.last].label
  const [from, to] = [Date.parse(window.from ?? ''), Date.parse(window.to ?? '')]
  const day = (ms: number) => (Number.isNaN(ms) ? '…' : `${formatDayOfMonth(ms)} ${formatShortClock(ms)}`)
  const isOneDay = formatDayOfMonth(from || 0) === formatDayOfMonth(to || 0)
  return `${day(from)} – ${isOneDay && !Number.isNaN(to) ? formatShortClock(to) : day(to)}`
}
