/** The times that an axis names: whole hours or midnights of the chosen zone. */
import { formatDayOfMonth, formatShortClock } from './format.ts'
import { nextDay, offsetMs, startOfDay } from './zone.ts'

export interface Tick {
  readonly timeMs: number
  readonly label: string
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const HOUR_STEPS = [1, 2, 3, 6, 12] as const
const DAY_STEPS = [1, 2, 3, 7, 14, 30, 60, 90, 180, 365] as const

/** At most `most` of them. One of them names a day, if there is one at all. */
export function listTicks(fromMs: number, toMs: number, most: number): readonly Tick[] {
  const lengthMs = toMs - fromMs
  const hours = HOUR_STEPS.find((step) => lengthMs / (step * HOUR_MS) <= most)
  const times = hours === undefined ? listDays(fromMs, toMs, most) : listHours(fromMs, toMs, hours * HOUR_MS)
  const hasDay = times.some(isMidnight)
  return times.map((timeMs, index) => ({
    timeMs,
    label: isMidnight(timeMs)
      ? formatDayOfMonth(timeMs)
      : index === 0 && !hasDay
        ? `${formatDayOfMonth(timeMs)} ${formatShortClock(timeMs)}`
        : formatShortClock(timeMs),
  }))
}

function listHours(fromMs: number, toMs: number, stepMs: number): readonly number[] {
  const times: number[] = []
  for (let hourMs = Math.ceil(fromMs / HOUR_MS) * HOUR_MS; hourMs <= toMs; hourMs += HOUR_MS) {
    const localHourMs = Math.floor((hourMs + offsetMs(hourMs)) / HOUR_MS) * HOUR_MS
    if (localHourMs % stepMs === 0) times.push(hourMs)
  }
  return times
}

function listDays(fromMs: number, toMs: number, most: number): readonly number[] {
  const lengthMs = toMs - fromMs
  const step = DAY_STEPS.find((days) => lengthMs / (days * DAY_MS) <= most) ?? Math.ceil(lengthMs / DAY_MS / most)
  const times: number[] = []
  const startMs = startOfDay(fromMs)
  let dayMs = startMs < fromMs ? nextDay(startMs) : startMs
  for (let index = 0; dayMs <= toMs; index++) {
    if (index % step === 0) times.push(dayMs)
    dayMs = nextDay(dayMs)
  }
  return times
}

/** Or the first whole hour after it. */
function isMidnight(timeMs: number): boolean {
  return startOfDay(timeMs) === timeMs
}
