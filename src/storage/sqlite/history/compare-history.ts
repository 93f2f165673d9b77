/** Compares the history index with the files of the closed days: its answers must be theirs. */
import { existsSync } from 'node:fs'
import { Database } from '../database/database.ts'
import { isDamaged } from '../database/storage-failure.ts'
import type { Day } from '../days/day.ts'
import type { DayFiles } from '../days/day-files.ts'
import { countStored } from '../days/stored-events.ts'
import { type CounterRow, DamagedCountsError, readDomainDay, requireCounts, type TypeCounts } from './domain-day.ts'
import { historyPath } from './history-database.ts'
import { dayOfNumber, slotOf, spanOf } from './span.ts'

const CACHE_KIB = 8192
const ROWS_AT_ONCE = 5000

const LIST_COUNTERS = 'SELECT domain, type, count, changed_at_ms FROM counter ORDER BY domain'
const LIST_DOMAINS = 'SELECT domain, types, hours FROM domain_day WHERE day = ? ORDER BY domain'
const LIST_ALL = `
  SELECT day, domain, types FROM domain_day WHERE (day, domain) > (?, ?) ORDER BY day, domain LIMIT ${ROWS_AT_ONCE}`

type KnownDay = [number: number, events: number, bytes: number, modifiedMs: number]
const LIST_DAYS = 'SELECT day, events, bytes, modified_ms FROM day WHERE is_open = 0'

/** The first difference; undefined if there is none, or no index. Days that are written meanwhile are left out. */
export function findHistoryDifference(dataDir: string, files: DayFiles, setAside: readonly Day[]): string | undefined {
  if (!existsSync(historyPath(dataDir))) return undefined
  try {
    using history = new Database(historyPath(dataDir), { readOnly: true, cacheKib: CACHE_KIB })
    for (const known of history.allArrays<KnownDay>(LIST_DAYS)) {
      const day = dayOfNumber(known[0])
      if (setAside.includes(day)) continue
      const difference = compareDay(history, files, known)
      if (difference !== undefined && isUnchanged(history, known)) return `${day}: ${difference}`
    }
    return history.snapshot(() => compareTotals(history))
  } catch (error) {
    if (!isDamaged(error) && !(error instanceof DamagedCountsError)) throw error
    return error instanceof Error ? error.message : String(error)
  }
}

/** A day is marked open before anything is written to it. */
function isUnchanged(history: Database, known: KnownDay): boolean {
  return history.allArrays<KnownDay>(`${LIST_DAYS} AND day = ?`, known[0])[0]?.join() === known.join()
}

function compareDay(history: Database, files: DayFiles, [number, events]: KnownDay): string | undefined {
  using source = files.openIfPresent(dayOfNumber(number), CACHE_KIB)
  if (!source) return undefined
  const counters = Map.groupBy(source.allArrays<CounterRow>(LIST_COUNTERS), ([domain]) => domain)
  const rows = history.allArrays<[number, string, Uint8Array | null]>(LIST_DOMAINS, number)
  for (const [domain, types, hours] of rows) {
    const own = readDomainDay(source, domain, counters.get(domain) ?? [])
    const isSame = types === JSON.stringify(own.types) && Buffer.compare(hours ?? EMPTY, own.hours ?? EMPTY) === 0
    if (!isSame || !hasInSpan(history, number, domain, own.types)) return `the counts of domain ${domain} differ`
    counters.delete(domain)
  }
  const [missing] = counters.keys()
  if (missing !== undefined) return `domain ${missing} is missing`
  return events === countStored(source) ? undefined : 'the number of events differs'
}

const EMPTY = Buffer.alloc(0)

function hasInSpan(history: Database, day: number, domain: number, types: TypeCounts): boolean {
  const row = history.get<{ counts: Uint8Array }>(
    'SELECT counts FROM domain_span WHERE span = ? AND domain = ?',
    spanOf(day),
    domain,
  )
  const sums = types.map(() => 0)
  if (row) {
    const reader = requireCounts(history, row.counts)
    while (reader.next()) if (reader.slot === slotOf(day)) sums[reader.type] = (sums[reader.type] ?? 0) + reader.count
  }
  return sums.join() === types.join()
}

/** The totals are the sums of all days, also of those that are open. */
function compareTotals(history: Database): string | undefined {
  const sums = new Map<number, number[]>()
  for (let last: readonly [number, number] = [-1, -1]; ; ) {
    const rows = history.allArrays<[number, number, string]>(LIST_ALL, ...last)
    for (const [day, domain, types] of rows) {
      const sum = sums.get(domain) ?? []
      for (const [type, count] of (JSON.parse(types) as TypeCounts).entries()) sum[type] = (sum[type] ?? 0) + count
      sums.set(domain, sum)
      last = [day, domain]
    }
    if (rows.length < ROWS_AT_ONCE) break
  }
  for (const [domain, types] of history.allArrays<[number, string]>('SELECT domain, types FROM total')) {
    const total = JSON.parse(types) as TypeCounts
    const sum = sums.get(domain)
    if (total.some((count, type) => count !== (sum?.[type] ?? 0))) return `the total of domain ${domain} differs`
    sums.delete(domain)
  }
  const [missing] = sums.keys()
  return missing === undefined ? undefined : `the total of domain ${missing} is missing`
}
