/** The time zone in which times are shown: the viewer's or UTC. It is part of the page's address, so that a link shows the same. */

export type Zone = 'local' | 'utc'

const PARAMETER = 'tz'
const STORAGE_KEY = 'envelog.zone'

let current: Zone = 'local'

/** What the address says, or what was chosen last. */
export function readZone(query: string): Zone {
  const named = new URLSearchParams(query).get(PARAMETER)
  if (named === 'utc' || named === 'local') return named
  return localStorage.getItem(STORAGE_KEY) === 'utc' ? 'utc' : 'local'
}

/** For everything that is formatted from now on. What is on the screen has to be drawn again. */
export function setZone(zone: Zone): void {
  current = zone
}

export function currentZone(): Zone {
  return current
}

export function rememberZone(zone: Zone): void {
  localStorage.setItem(STORAGE_KEY, zone)
}

/** The query with the zone in it, and its question mark. */
export function withZone(query: string, zone: Zone): string {
  const params = new URLSearchParams(query)
  params.set(PARAMETER, zone)
  return `?${params}`
}

/** Whether the address names its zone. In local time it need not: that is what the reader expects. */
export function namesZone(query: string): boolean {
  return new URLSearchParams(query).has(PARAMETER)
}

/** Such as "Europe/Berlin". */
export function zoneName(zone: Zone = current): string {
  return zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** How far the zone is ahead of UTC at that time. */
export function offsetMs(timeMs: number, zone: Zone = current): number {
  return zone === 'utc' ? 0 : -new Date(timeMs).getTimezoneOffset() * 60_000
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/**
 * The first whole hour of the day in the zone: counts are by the hour of UTC, so in a zone such as India's a day begins half an
 * hour late.
 */
export function startOfDay(timeMs: number, zone: Zone = current): number {
  const localMs = timeMs + offsetMs(timeMs, zone)
  const midnightMs = Math.floor(localMs / DAY_MS) * DAY_MS - offsetMs(timeMs, zone)
  // Between midnight and now, the clock may have been changed.
  const exactMs = midnightMs + offsetMs(timeMs, zone) - offsetMs(midnightMs, zone)
  const startMs = Math.ceil(exactMs / HOUR_MS) * HOUR_MS
  return startMs <= timeMs ? startMs : startOfDay(exactMs - 1, zone)
}

/** The start of the day after the one that begins at this time. */
export function nextDay(startMs: number, zone: Zone = current): number {
  // In the middle of the next day, whatever the clock does in between.
  return startOfDay(startMs + DAY_MS + DAY_MS / 2, zone)
}
