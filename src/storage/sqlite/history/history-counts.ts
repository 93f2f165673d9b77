/** Counts over time of summarized days, added up in memory from packed counts. */
import type { SeriesQuery } from '../../../stats/series.ts'
import { requireCounts } from './domain-day.ts'
import type { HistoryReading } from './history-reader.ts'
import { type AddCount, SlotSums } from './slot-sums.ts'
import { SPAN_DAYS, slotOf, spanOf } from './span.ts'

const HOURS_PER_DAY = 24
/** Packed counts that one statement reads: others wait for it. */
const ROWS_AT_ONCE = 200

/** Counts, with hours since 1970; or the domains that have to be counted in the file of a day. */
export type HistoryCounts =
  | { readonly addTo: (add: AddCount) => void }
  | { readonly day: number; readonly domains: readonly number[] }

/** A span by day, or a day by hour. */
type Period = readonly [number: number, domain: number, counts: Uint8Array | null]

const OF_SPANS = `
  SELECT s.span, s.domain, s.counts FROM json_each(?) p CROSS JOIN json_each(?) d
    CROSS JOIN domain_span s ON s.span = p.value AND s.domain = d.value`
const OF_DAYS = `
  SELECT h.day, h.domain, h.hours FROM json_each(?) p CROSS JOIN json_each(?) d
    CROSS JOIN domain_day h ON h.day = p.value AND h.domain = d.value`

/** `days`: the summarized days of the range, newest first. */
export function* countHistory(
  reading: HistoryReading,
  days: readonly number[],
  query: SeriesQuery,
): Generator<HistoryCounts> {
  const periods = query.byDay ? [...new Set(days.map(spanOf))] : days
  const sql = query.byDay ? OF_SPANS : OF_DAYS
  const slots = query.byDay ? SPAN_DAYS : HOURS_PER_DAY
  const wantedOf = query.byDay ? slotsOfDays(days) : slotsOfHours(query)
  for (const domains of inGroups(query.domainNumbers, ROWS_AT_ONCE)) {
    for (const some of inGroups(periods, Math.ceil(ROWS_AT_ONCE / domains.length))) {
      const found = reading.read((db) => {
        const rows = db.allArrays<[...Period]>(sql, JSON.stringify(some), JSON.stringify(domains))
        return rows.map(([period, domain, counts]) => ({ period, domain, counts: counts && requireCounts(db, counts) }))
      })
      const sums = new SlotSums(slots, query)
      const omitted = new Map<number, Set<number>>()
      const omit = (day: number, domain: number) => omitted.set(day, (omitted.get(day) ?? new Set()).add(domain))
      for (const { period, domain, counts } of found) {
        if (!counts) {
          omit(period, domain)
          continue
        }
        const wanted = wantedOf(period)
        while (counts.next()) {
          const { slot } = counts
          if (wanted[slot] === 1 && !sums.add(period, domain, counts)) omit(period * slots + slot, domain)
        }
      }
      yield { addTo: (add) => sums.addTo(add, query.byDay ? HOURS_PER_DAY : 1) }
      for (const [day, ofDay] of omitted) yield { day, domains: [...ofDay] }
    }
  }
}

/** Which slots of a span are among the days. */
function slotsOfDays(days: readonly number[]): (span: number) => Uint8Array {
  const spans = new Map<number, Uint8Array>()
  for (const day of days) {
    const wanted = spans.get(spanOf(day)) ?? new Uint8Array(SPAN_DAYS)
    wanted[slotOf(day)] = 1
    spans.set(spanOf(day), wanted)
  }
  return (span) => spans.get(span) ?? new Uint8Array(SPAN_DAYS)
}

/** Which hours of a day are in the range. */
function slotsOfHours({ fromHour, toHour }: SeriesQuery): (day: number) => Uint8Array {
  return (day) => {
    const first = day * HOURS_PER_DAY
    return new Uint8Array(HOURS_PER_DAY).fill(1, Math.max(0, fromHour - first), Math.max(0, toHour - first))
  }
}

function* inGroups(numbers: readonly number[], size: number): Generator<readonly number[]> {
  for (let at = 0; at < numbers.length; at += size) yield numbers.slice(at, at + size)
}
