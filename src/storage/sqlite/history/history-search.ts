/** The summarized days that may have matches, newest first: by message id, or by domain and type. */
import type { Database } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import type { LogSearch } from '../reading/log-search.ts'
import { requireCounts } from './domain-day.ts'
import type { HistoryReading } from './history-reader.ts'
import { dayOfIdKey, firstIdKey, hashForHistory } from './id-key.ts'
import { dayOfNumber, groupDomains, SPAN_DAYS, slotOf, spanOf } from './span.ts'

const FIND_ID = `
  SELECT m.key FROM json_each(?) s CROSS JOIN message_id m ON m.key >= s.value AND m.key < s.value + ${SPAN_DAYS}`
const LIST_COUNTS = `
  SELECT s.counts FROM json_each(?) d CROSS JOIN domain_span s ON s.span = ? AND s.domain = d.value`

/** Counts of more domains take longer to read than the summaries of some days, which are in memory or soon will be. */
const DOMAINS_FEW = 20
/** After this many days without a match, the next ones are looked up. */
const MISSES_MAX = 8

/**
 * Undefined between statements, so that others get the thread. `known`: the days, newest first. `isRuledOut`:
 * whether what is in memory about a day rules out a match.
 */
export function* searchHistory(
  reading: HistoryReading,
  known: readonly number[],
  domains: readonly number[],
  { types, messageId }: LogSearch,
  isRuledOut: (day: Day) => boolean,
): Generator<Day | undefined> {
  if (known.length === 0) return
  const ids = messageId && reading.read((db) => findId(db, spansOf(known), messageId.id))
  if (ids?.size === 0) return
  const groups = groupDomains(domains)
  const isLookedUp = ids !== undefined || domains.length <= DOMAINS_FEW
  let misses = 0
  for (let at = 0; at < known.length; ) {
    const number = known[at] ?? 0
    if (!isLookedUp && misses < MISSES_MAX) {
      const day = dayOfNumber(number)
      if (!isRuledOut(day)) yield day
      misses = isRuledOut(day) ? misses + 1 : 0
      at++
      continue
    }
    const span = spanOf(number)
    const end = findFirst(known, span * SPAN_DAYS - 1)
    const ofSpan = known.slice(at, end).filter((other) => !ids || ids.has(other))
    at = end
    if (ofSpan.length === 0) continue
    const present = new Uint8Array(SPAN_DAYS)
    for (const group of groups) {
      reading.read((db) => markPresent(db, span, group, types, present))
      yield undefined
    }
    for (const other of ofSpan) if (present[slotOf(other)]) yield dayOfNumber(other)
    if (present.includes(1)) misses = 0
  }
}

function findId(db: Database, spans: readonly number[], id: string): ReadonlySet<number> {
  const hash = hashForHistory(id)
  const rows = db.allArrays<[number]>(FIND_ID, JSON.stringify(spans.map((span) => firstIdKey(hash, span))))
  return new Set(rows.map(([key]) => dayOfIdKey(key)))
}

/** Marks the days of the span on which one of the domains has one of the types. */
function markPresent(
  db: Database,
  span: number,
  domainsJson: string,
  types: readonly number[] | undefined,
  present: Uint8Array,
): void {
  for (const [counts] of db.allArrays<[Uint8Array]>(LIST_COUNTS, domainsJson, span)) {
    const reader = requireCounts(db, counts)
    while (reader.next()) if (!types || types.includes(reader.type)) present[reader.slot] = 1
  }
}

function spansOf(numbers: readonly number[]): readonly number[] {
  const spans: number[] = []
  for (let at = 0; at < numbers.length; at = findFirst(numbers, (spans.at(-1) ?? 0) * SPAN_DAYS - 1)) {
    spans.push(spanOf(numbers[at] ?? 0))
  }
  return spans
}

/** The index of the first that is at most `limit`, in a list that descends. */
export function findFirst(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) > limit) low = middle + 1
    else high = middle
  }
  return low
}
