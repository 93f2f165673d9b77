/** Parses the times of log lines, to Unix seconds. */

const DAY_MS = 86_400_000

/**
 * `2026-11-15T03:48:12.5+01:00`; fraction and zone are optional, and a space may replace the T. Without a zone it is local
 * time (TZ).
 */
export function parseIsoTime(text: string): number | undefined {
  if (!ISO_TIME.test(text)) return undefined
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2)
  const monthIndex = twoDigits(text, 5) - 1
  const day = twoDigits(text, 8)
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)]
  // Date would turn month 13 into January, and 31 February into a day in March.
  if (day > (DAYS[monthIndex] ?? 0) || hour > 23 || minute > 59) return undefined
  const zone = /[Z+-].*$/.exec(text.slice(SECONDS_END))?.[0]
  if (zone === undefined) return toSeconds(new Date(year, monthIndex, day, hour, minute, second))
  return Date.UTC(year, monthIndex, day) / 1000 + hour * 3600 + minute * 60 + second - offsetOf(zone)
}

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)? ?(?:Z|[+-]\d\d:?\d\d)?$/
const SECONDS_END = '2026-11-15T03:48:12'.length

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO
}

const ZERO = 0x30

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The seconds of `+0100` or `-05:30`. */
function offsetOf(zone: string): number {
  if (zone === 'Z') return 0
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(-2)) * 60
  return zone.startsWith('-') ? -seconds : seconds
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const SYSLOG_TIME = /^(\w{3}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.\d+)?$/

/**
 * `Nov 15 03:48:12` (RFC 3164 section 4.1.2), with a fraction from `journalctl -o short-precise`: local time without a year;
 * the latest such date that is not in the future.
 */
export function parseSyslogTime(text: string, nowMs: number): number | undefined {
  const [, monthName = '', day, hour, minute, second] = SYSLOG_TIME.exec(text) ?? []
  const month = MONTHS.indexOf(monthName)
  if (month === -1) return undefined
  // Clocks differ, so up to a day ahead is not the future.
  const latest = new Date(nowMs + DAY_MS)
  const inYear = (year: number) => new Date(year, month, Number(day), Number(hour), Number(minute), Number(second))
  const year = latest.getFullYear()
  const thisYear = inYear(year)
  return toSeconds(thisYear.getTime() <= latest.getTime() ? thisYear : inYear(year - 1))
}

/** The time in the header of a line, in any of the forms of syslog and journalctl, and whether it names its zone. */
export function parseHeaderTime(
  text: string,
  nowMs: number,
): { readonly time: number | undefined; readonly hasZone: boolean } {
  if (/^\d{4}-/.test(text))
    return { time: parseIsoTime(text), hasZone: /(?:Z|[+-]\d\d:?\d\d)$/.test(text.slice(SECONDS_END)) }
  if (/^\d/.test(text)) return { time: Math.floor(Number(text)), hasZone: true }
  const [, date, zone = ''] = /^\w{3} (\d{4}-\S+ \S+) (\S+)$/.exec(text) ?? []
  if (date === undefined) return { time: parseSyslogTime(text, nowMs), hasZone: false }
  // Abbreviations are ambiguous: all others are taken as the local zone, as journalctl prints it.
  const isUtc = zone === 'UTC' || zone === 'GMT'
  const offset = /^[+-]\d\d(?::?\d\d)?$/.test(zone) ? zone.padEnd(5, '0') : undefined
  return { time: parseIsoTime(`${date}${isUtc ? 'Z' : (offset ?? '')}`), hasZone: isUtc || offset !== undefined }
}

/** Of a line, for what is forgotten with time: one host with a wrong clock must not end the messages of all others. */
export function notInFuture(time: number, nowMs: number): number {
  return Math.min(time, Math.floor(nowMs / 1000))
}

function toSeconds(date: Date): number | undefined {
  const timeMs = date.getTime()
  return Number.isNaN(timeMs) ? undefined : Math.floor(timeMs / 1000)
}
