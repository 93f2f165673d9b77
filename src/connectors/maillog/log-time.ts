/** Times as logs write them, in Unix seconds. */

const DAY_MS = 86_400_000

/**
 * `2026-11-15T03:48:12.5+01:00`, with or without a fraction, a blank for the T, a zone. Without a zone it is the local time
 * of this machine (TZ).
 */
export function parseIsoTime(text: string): number | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d+)? ?(Z|[+-]\d\d:?\d\d)?$/.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, zone] = match
  const monthIndex = Number(month) - 1
  // Date would take a month of 13 for January, and the 31st of February for a day in March.
  if (Number(day) > (DAYS[monthIndex] ?? 0) || Number(hour) > 23 || Number(minute) > 59) return undefined
  if (zone === undefined)
    return toSeconds(new Date(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second)))
  const days = Date.UTC(Number(year), monthIndex, Number(day)) / 1000
  return days + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offsetOf(zone)
}

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** `+0100`, `-05:30`: in seconds. */
function offsetOf(zone: string): number {
  if (zone === 'Z') return 0
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(-2)) * 60
  return zone.startsWith('-') ? -seconds : seconds
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Nov 15 03:48:12` (RFC 3164 section 4.1.2): local time, and no year; the last such day that is not ahead of now. */
export function parseSyslogTime(text: string, nowMs: number): number | undefined {
  const [, monthName = '', day, hour, minute, second] = /^(\w{3}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)$/.exec(text) ?? []
  const month = MONTHS.indexOf(monthName)
  if (month === -1) return undefined
  // Clocks differ a little: a day ahead is still today.
  const latest = new Date(nowMs + DAY_MS)
  const inYear = (year: number) => new Date(year, month, Number(day), Number(hour), Number(minute), Number(second))
  const year = latest.getFullYear()
  const thisYear = inYear(year)
  return toSeconds(thisYear.getTime() <= latest.getTime() ? thisYear : inYear(year - 1))
}

function toSeconds(date: Date): number | undefined {
  const timeMs = date.getTime()
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000)
}
