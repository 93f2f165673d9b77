/** What one domain has in one day, as the history index keeps it: read from the day's file, put in place of what was known before. */
import { EVENT_TYPES } from '../../../events/event.ts'
import { COUNTER_OF_TYPE } from '../../../stats/domain-counts.ts'
import type { Database } from '../database/database.ts'
import { CountsReader, packCounts, type SlotCount } from './packed-counts.ts'
import { slotOf, spanOf } from './span.ts'

/** Providers and classifications are what senders write: with more counts than this, the file of the day has to be read for them. */
const HOURS_MAX = 5000
const DETAILS_MAX = 500

export type TypeCounts = readonly number[]
export type CounterRow = [domain: number, type: number, count: number, changedAtMs: number]
type HourRow = [hour: number, type: number, provider: string, classification: string, count: number]

export interface DomainDay {
  readonly types: TypeCounts
  /** When a type that feeds the statistics last grew. */
  readonly changedAtMs: number
  readonly hours: Uint8Array | null
  readonly details: readonly Omit<SlotCount, 'slot'>[]
}

export const NO_COUNTS: TypeCounts = EVENT_TYPES.map(() => 0)

/** `counters`: those of the domain. */
export function readDomainDay(source: Database, domain: number, counters: readonly CounterRow[]): DomainDay {
  const types = [...NO_COUNTS]
  let changedAtMs = 0
  for (const [, type, count, changed] of counters) {
    types[type] = count
    const name = EVENT_TYPES[type]
    if (name && COUNTER_OF_TYPE[name]) changedAtMs = Math.max(changedAtMs, changed)
  }
  const rows = source.allArrays<HourRow>(
    `SELECT hour, type, provider, classification, count FROM event_per_hour WHERE domain = ? LIMIT ${HOURS_MAX + 1}`,
    domain,
  )
  const isLarge = rows.length > HOURS_MAX
  const details = isLarge ? [] : addUpHours(rows)
  return {
    types,
    changedAtMs,
    hours: isLarge ? null : packCounts(rows.map(([slot, ...rest]) => toSlotCount(slot, ...rest))),
    details: isLarge || details.length > DETAILS_MAX ? withoutDetails(types) : details,
  }
}

/** Keeps the sum of all days what it was but for this one. Within a transaction. */
export function replaceDomainDay(
  history: Database,
  day: number,
  domain: number,
  before: TypeCounts,
  now: DomainDay | undefined,
): void {
  addToTotal(history, domain, before, now)
  if (now) {
    history.run(
      'INSERT OR REPLACE INTO domain_day (day, domain, types, hours) VALUES (?, ?, ?, ?)',
      day,
      domain,
      JSON.stringify(now.types),
      now.hours,
    )
  } else {
    history.run('DELETE FROM domain_day WHERE day = ? AND domain = ?', day, domain)
  }
  replaceInSpan(history, day, domain, now?.details ?? [])
}

function addToTotal(history: Database, domain: number, before: TypeCounts, now: DomainDay | undefined): void {
  const total = history.get<{ types: string; changed_at_ms: number }>(
    'SELECT types, changed_at_ms FROM total WHERE domain = ?',
    domain,
  )
  const types = total ? (JSON.parse(total.types) as TypeCounts) : NO_COUNTS
  const sum = NO_COUNTS.map((_, type) => (types[type] ?? 0) - (before[type] ?? 0) + (now?.types[type] ?? 0))
  history.run(
    'INSERT OR REPLACE INTO total (domain, types, changed_at_ms) VALUES (?, ?, ?)',
    domain,
    JSON.stringify(sum),
    Math.max(total?.changed_at_ms ?? 0, now?.changedAtMs ?? 0),
  )
}

function replaceInSpan(history: Database, day: number, domain: number, details: DomainDay['details']): void {
  const [span, own] = [spanOf(day), slotOf(day)]
  const packed = history.get<{ counts: Uint8Array }>(
    'SELECT counts FROM domain_span WHERE span = ? AND domain = ?',
    span,
    domain,
  )?.counts
  const counts = packed ? listOthers(history, packed, own) : []
  for (const detail of details) counts.push({ slot: own, ...detail })
  if (counts.length === 0) {
    history.run('DELETE FROM domain_span WHERE span = ? AND domain = ?', span, domain)
  } else {
    history.run(
      'INSERT OR REPLACE INTO domain_span (span, domain, counts) VALUES (?, ?, ?)',
      span,
      domain,
      packCounts(counts),
    )
  }
}

function listOthers(history: Database, packed: Uint8Array, own: number): SlotCount[] {
  const reader = requireCounts(history, packed)
  const others: SlotCount[] = []
  while (reader.next()) {
    const { slot, type, provider, classification, count } = reader
    if (slot !== own) others.push({ slot, type, provider, classification, count })
  }
  return others
}

/** Throws DamagedCountsError. */
export function requireCounts(history: Database, packed: Uint8Array): CountsReader {
  const reader = CountsReader.of(packed)
  if (!reader) throw new DamagedCountsError(history.path)
  return reader
}

/** A checksum of the history index is wrong. */
export class DamagedCountsError extends Error {
  constructor(path: string) {
    super(`counts with a wrong checksum (${path})`)
  }
}

function addUpHours(rows: readonly HourRow[]): DomainDay['details'] {
  const sums = new Map<string, Omit<SlotCount, 'slot' | 'count'> & { count: number }>()
  for (const [, type, provider, classification, count] of rows) {
    const key = `${type} ${provider.length} ${provider}${classification}`
    const sum = sums.get(key)
    if (sum) sum.count += count
    else sums.set(key, { type, provider, classification, count })
  }
  return [...sums.values()]
}

function withoutDetails(types: TypeCounts): DomainDay['details'] {
  const present = types.map((count, type) => ({ type, provider: undefined, classification: undefined, count }))
  return present.filter(({ count }) => count > 0)
}

function toSlotCount(slot: number, type: number, provider: string, classification: string, count: number): SlotCount {
  return { slot, type, provider, classification, count }
}
