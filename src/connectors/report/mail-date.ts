/** Parses dates of messages (RFC 5322 sections 3.3 and 4.3), independently of the local time zone. */

const DATE =
  /(?:^|[\s,;])(\d{1,2})[ -]([a-z]{3})[a-z]*[ -](\d{2,4})\s+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([+-]\d{4}|[a-z]{1,5})?/i
const MONTH_NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const MONTHS: ReadonlyMap<string, number> = new Map(MONTH_NAMES.map((name, index) => [name, index]))
/** RFC 5322 section 4.3; other names carry no information and count as UTC. */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
}
const LENGTH_MAX = 200

/** Unix seconds; undefined if there is no date. */
export function findMailDate(text: string | undefined): number | undefined {
  const found = text === undefined ? null : DATE.exec(text.slice(0, LENGTH_MAX))
  if (!found) return undefined
  const month = MONTHS.get(found[2]?.toLowerCase() ?? '')
  if (month === undefined) return undefined
  const dayMs = Date.UTC(fullYear(found[3] ?? ''), month, Number(found[1]))
  const daySeconds = Number(found[4]) * 3600 + Number(found[5]) * 60 + Number(found[6] ?? 0)
  const seconds = dayMs / 1000 + daySeconds - zoneSeconds(found[7] ?? '')
  return seconds >= 0 ? seconds : undefined
}

function fullYear(year: string): number {
  const number = Number(year)
  if (year.length === 4) return number
  return number + (year.length === 2 && number < 50 ? 2000 : 1900)
}

function zoneSeconds(zone: string): number {
  const offset = Number(zone)
  if (Number.isNaN(offset)) return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 3600
  // Hours and minutes, two digits each.
  return Math.trunc(offset / 100) * 3600 + (offset % 100) * 60
}
