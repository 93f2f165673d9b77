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
  if (zone === undefined) {
    const local = new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
    // A month of 13 would be January.
    return local.getMonth() === Number(month) - 1 && Number(hour) < 24 ? toSeconds(local) : undefined
  }
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return toSeconds(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`))
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
