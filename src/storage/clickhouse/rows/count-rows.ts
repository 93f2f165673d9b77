/** The counts of a batch of new events: what it adds to each hour, and which domains' statistics it changes. */
import { ORIGINS_PER_DAY } from '../../../stats/series.ts'
import type { ClosedCount } from '../../postgres/batches/batch.ts'
import { counterOf } from '../counts/counters.ts'
import { dayAfter, firstHourOf } from '../upkeep/day.ts'
import type { ChangeRow, HourRow, SendingRow } from './columns.ts'
import type { EventRow } from './event-row.ts'

const SECONDS_PER_HOUR = 3600
const SECONDS_PER_DAY = 86_400

export function countHours(rows: readonly EventRow[], batch: string): readonly HourRow[] {
  const counts: HourCounts = new Map()
  addHours(counts, rows, batch)
  return [...counts.values()]
}

export type HourCounts = Map<string, HourRow & { n: number }>

/** For rows that are counted in slices. */
export function addHours(counts: HourCounts, rows: readonly EventRow[], batch: string): void {
  for (const { domain, event, type } of rows) {
    const hour = Math.floor(event.timestamp / SECONDS_PER_HOUR)
    const { provider_name: provider = '', bounce_classification: classification = '' } = event
    const key = `${domain} ${hour} ${type} ${provider.length} ${provider}${classification}`
    const counted = counts.get(key)
    if (counted) counted.n++
    else counts.set(key, { domain, hour, type, provider, classification, n: 1, batch })
  }
}

/** What rows of hours add to the counts of days up to and including `closedDay`. */
export function sumClosed(
  rows: Iterable<Pick<HourRow, 'domain' | 'hour' | 'type' | 'n'>>,
  closedDay: string | undefined,
): readonly ClosedCount[] {
  if (closedDay === undefined) return []
  const openHour = firstHourOf(dayAfter(closedDay))
  const counts = new Map<number, ClosedCount>()
  for (const { domain, hour, type, n } of rows) {
    const counter = counterOf(type)
    if (hour >= openHour || !counter) continue
    const counted = counts.get(domain) ?? { domain, bounce: 0, delivery: 0, reception: 0 }
    counts.set(domain, { ...counted, [counter]: counted[counter] + n })
  }
  return [...counts.values()]
}

/** Origins that are counted by themselves, by `originsKey`. */
export type CountedOrigins = ReadonlyMap<string, ReadonlySet<string>>

/** A domain and a day, to which the limit on origins applies. */
export function originsKey(domain: number, timestamp: number): string {
  return `${domain} ${Math.floor(timestamp / SECONDS_PER_DAY)}`
}

/**
 * Counts of events whose origin is known. `known`: what was counted before, of all domains and days of the rows that have an origin.
 * The first origins of a domain and day are counted, and from then on all of their events; all others together.
 */
export function countSending(rows: readonly EventRow[], known: CountedOrigins, batch: string): readonly SendingRow[] {
  const counts: SendingCounts = { rows: new Map(), origins: new Map() }
  addSending(counts, rows, known, batch)
  return [...counts.rows.values()]
}

export interface SendingCounts {
  readonly rows: Map<string, SendingRow & { n: number }>
  /** Origins that are counted by themselves, those of the rows so far included. */
  readonly origins: Map<string, Set<string>>
}

/** For rows that are counted in slices. */
export function addSending(
  { rows: counts, origins: counted }: SendingCounts,
  rows: readonly EventRow[],
  known: CountedOrigins,
  batch: string,
): void {
  for (const row of rows) {
    if (row.origin === '') continue
    const { domain, event, type } = row
    const hour = Math.floor(event.timestamp / SECONDS_PER_HOUR)
    const { provider_name: provider = '' } = event
    const origin = chooseOrigin(row, known, counted)
    const key = `${domain} ${hour} ${type} ${provider.length} ${provider}${origin}`
    const count = counts.get(key)
    if (count) count.n++
    else counts.set(key, { domain, hour, origin, type, provider, n: 1, batch })
  }
}

function chooseOrigin(
  { domain, event, origin }: EventRow,
  known: CountedOrigins,
  counted: Map<string, Set<string>>,
): string {
  const key = originsKey(domain, event.timestamp)
  let origins = counted.get(key)
  if (!origins) {
    origins = new Set(known.get(key))
    counted.set(key, origins)
  }
  if (origins.has(origin)) return origin
  if (origins.size >= ORIGINS_PER_DAY) return ''
  origins.add(origin)
  return origin
}

/** Domains whose statistics change, with the time of the change. */
export function listChanges(rows: readonly EventRow[], changedAtMs: number): readonly ChangeRow[] {
  const domains = new Set<number>()
  for (const { domain, type } of rows) if (counterOf(type)) domains.add(domain)
  return [...domains].map((domain) => ({ domain, changedAtMs }))
}
