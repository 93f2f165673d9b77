/** Formats numbers, sizes, percentages, times and durations for display. */
import { currentZone, type Zone } from './zone.ts'

/** U+2009, the thousands separator. */
const THIN_SPACE = '\u2009'
const number = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return number.format(count).replaceAll(',', THIN_SPACE)
}

/** For narrow spaces: 12.4k. */
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

export function formatShortCount(count: number): string {
  return compact.format(count).toLowerCase().replace('m', 'M')
}

/** `part` of `whole` in percent; a dash if `whole` is 0. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–'
  return formatPercent(part / whole)
}

export function formatPercent(share: number): string {
  const percent = share * 100
  const digits = percent === 0 || percent >= 99.995 ? 0 : percent < 1 ? 2 : percent < 10 ? 1 : percent > 99 ? 2 : 1
  return `${percent.toFixed(digits)}${THIN_SPACE}%`
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'] as const
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)}${THIN_SPACE}${units[power]}`
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** A duration in at most two units: 2.1 s, 10 min, 3 h 20 min, 4 d. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  if (ms < MINUTE_MS) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`
  if (ms < HOUR_MS) return twoUnits(ms, MINUTE_MS, 'min', 1000, 's', ms < 10 * MINUTE_MS)
  if (ms < DAY_MS) return twoUnits(ms, HOUR_MS, 'h', MINUTE_MS, 'min', true)
  return twoUnits(ms, DAY_MS, 'd', HOUR_MS, 'h', ms < 10 * DAY_MS)
}

function twoUnits(ms: number, large: number, largeUnit: string, small: number, unit: string, both: boolean): string {
  const rest = Math.floor((ms % large) / small)
  const first = `${Math.floor(ms / large)} ${largeUnit}`
  return both && rest > 0 ? `${first} ${rest} ${unit}` : first
}

/** A relative time, rounded: "just now", "5 min ago", "in 2 h". */
export function formatAgo(timeMs: number, nowMs: number): string {
  const distance = Math.abs(nowMs - timeMs)
  if (distance < 45_000) return nowMs >= timeMs ? 'just now' : 'in a moment'
  const [unitMs, unit] =
    distance < 45 * MINUTE_MS ? [MINUTE_MS, 'min'] : distance < 22 * HOUR_MS ? [HOUR_MS, 'h'] : [DAY_MS, 'd']
  const words = `${Math.max(1, Math.round(distance / unitMs))} ${unit}`
  return nowMs >= timeMs ? `${words} ago` : `in ${words}`
}

const DAY = { day: 'numeric', month: 'short' } as const
const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const

/** In the chosen zone, or always in the given one. */
function timeFormat(options: Intl.DateTimeFormatOptions, always?: Zone): (timeMs: number) => string {
  const formatters = {
    local: new Intl.DateTimeFormat('en-GB', options),
    utc: new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }),
  } as const
  return (timeMs) => formatters[always ?? currentZone()].format(timeMs)
}

const EXACT = {
  ...DAY,
  ...CLOCK,
  weekday: 'short',
  year: 'numeric',
  second: '2-digit',
  timeZoneName: 'short',
} as const

export const formatClock = timeFormat({ ...CLOCK, second: '2-digit' })
export const formatShortClock = timeFormat(CLOCK)
export const formatDayOfMonth = timeFormat(DAY)
export const formatWeekday = timeFormat({ ...DAY, weekday: 'short' })
/** With the name of the zone. */
export const formatFull = timeFormat(EXACT)
const formatLocal = timeFormat(EXACT, 'local')

/** ISO 8601 in UTC, to the second, as server logs have it. */
export function formatUtc(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/, 'Z')
}

/** For tooltips: local time and UTC. */
export function formatExact(timeMs: number): string {
  return `${formatLocal(timeMs)}\n${formatUtc(timeMs)}`
}
