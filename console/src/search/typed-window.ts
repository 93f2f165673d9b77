/** A time range as people type it: "90m", "yesterday", "3 Nov 14:00–16:00". Times are those of the page's zone. */
import { DAY_MS, HOUR_MS } from '../api/series.ts'
import { currentZone, offsetMs, type Zone } from '../kit/text/zone.ts'
import type { WindowTimes } from './log-search.ts'

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }
const DURATION = /^(?:last )?(\d{1,5}) ?(m|h|d|w)(?:in|ins|inutes?|ours?|ays?|eeks?)?$/
/** A hyphen only where it cannot be part of a date. */
const BETWEEN = / ?[–—] ?| - | to | until |(?<=:\d\d)-/
const CLOCK = /^(\d{1,2}):(\d{2})$/
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const ISO_DAY = /^(\d{4})-(\d{2})-(\d{2})$/
const DAY_MONTH = /^(\d{1,2})\.? ([a-z]{3})[a-z]*\.?(?: (\d{4}))?$/
const MONTH_DAY = /^([a-z]{3})[a-z]*\.? (\d{1,2})(?:,? (\d{4}))?$/

/** Undefined if it is not a range, or if it ends before it begins. */
export function parseTypedWindow(text: string, nowMs: number, zone: Zone = currentZone()): WindowTimes | undefined {
  const typed = text.trim().toLowerCase().replace(/\s+/g, ' ')
  const [, amount, unit = ''] = DURATION.exec(typed) ?? []
  if (amount !== undefined) return forward(nowMs - Number(amount) * (UNITS_MS[unit] ?? 0), nowMs)
  const [first = '', second, ...others] = typed.split(BETWEEN)
  if (others.length > 0) return undefined
  const from = parseMoment(first, nowMs, zone)
  if (!from) return undefined
  const dayMs = from.dayMs ?? wallDay(nowMs, zone)
  const fromMs = toTime(dayMs + (from.clockMs ?? 0), zone)
  // A day alone is all of it; a time alone lasts until now.
  if (second === undefined) return forward(fromMs, from.clockMs === undefined ? toTime(dayMs + DAY_MS, zone) : nowMs)
  if (second === 'now') return forward(fromMs, nowMs)
  const to = parseMoment(second, nowMs, zone)
  if (!to) return undefined
  // The last day is part of the range.
  return forward(fromMs, toTime((to.dayMs ?? dayMs) + (to.clockMs ?? DAY_MS), zone))
}

/** From midnight to midnight. */
export function wholeDay(daysAgo: number, nowMs: number, zone: Zone = currentZone()): WindowTimes {
  const dayMs = wallDay(nowMs, zone) - daysAgo * DAY_MS
  return { fromMs: toTime(dayMs, zone), toMs: toTime(dayMs + DAY_MS, zone) }
}

function forward(fromMs: number, toMs: number): WindowTimes | undefined {
  return fromMs < toMs ? { fromMs, toMs } : undefined
}

/** In milliseconds of a clock on the wall. At least one of them. */
interface Moment {
  readonly dayMs: number | undefined
  readonly clockMs: number | undefined
}

function parseMoment(text: string, nowMs: number, zone: Zone): Moment | undefined {
  const words = text.split(' ')
  const clockMs = parseClock(words.at(-1) ?? '')
  const day = (clockMs === undefined ? words : words.slice(0, -1)).join(' ')
  if (day === '') return clockMs === undefined ? undefined : { dayMs: undefined, clockMs }
  const dayMs = parseDay(day.replace(/,$/, ''), wallDay(nowMs, zone))
  return dayMs === undefined ? undefined : { dayMs, clockMs }
}

function parseClock(text: string): number | undefined {
  const [, hours, minutes] = CLOCK.exec(text) ?? []
  if (Number(hours) > 24 || Number(minutes) > 59) return undefined
  return hours === undefined ? undefined : Number(hours) * HOUR_MS + Number(minutes) * 60_000
}

function parseDay(text: string, today: number): number | undefined {
  if (text === 'today') return today
  if (text === 'yesterday') return today - DAY_MS
  const [, isoYear, isoMonth, isoDay] = ISO_DAY.exec(text) ?? []
  if (isoYear !== undefined) return toDay(Number(isoYear), Number(isoMonth) - 1, Number(isoDay))
  const [, day, month, year] = DAY_MONTH.exec(text) ?? swap(MONTH_DAY.exec(text)) ?? []
  if (month === undefined) return undefined
  const thisYear = new Date(today).getUTCFullYear()
  const found = toDay(Number(year ?? thisYear), MONTHS.indexOf(month), Number(day))
  // Without a year it is the last day of that name.
  return year === undefined && found !== undefined && found > today
    ? toDay(thisYear - 1, MONTHS.indexOf(month), Number(day))
    : found
}

function swap(match: RegExpExecArray | null): readonly (string | undefined)[] | undefined {
  return match ? [match[0], match[2], match[1], match[3]] : undefined
}

/** Undefined for the 31st of a shorter month. */
function toDay(year: number, month: number, day: number): number | undefined {
  const time = Date.UTC(year, month, day)
  return new Date(time).getUTCMonth() === month && day > 0 ? time : undefined
}

function wallDay(timeMs: number, zone: Zone): number {
  return Math.floor((timeMs + offsetMs(timeMs, zone)) / DAY_MS) * DAY_MS
}

/** When the clock on the wall shows this. */
function toTime(wallMs: number, zone: Zone): number {
  const nearMs = wallMs - offsetMs(wallMs, zone)
  // The clock may be changed between the two.
  return wallMs - offsetMs(nearMs, zone)
}
