/**
 * Counts of domains in days from which events were erased: erased events still count, and a move through the normal append counts only
 * those that are left. So the counts of these days are made equal to those of the old storage.
 */
import type { Database } from '../sqlite/database/database.ts'
import { OTHER_ORIGINS_KEY } from '../sqlite/days/counted-origins.ts'
import { type Day, startOfDay } from '../sqlite/days/day.ts'
import { hasErased } from '../sqlite/erasing/erased-counts.ts'
import type { SourceFolder } from './source-folder.ts'

/** An hour since 1970, with the number of the type. */
export type CountedHour = readonly [
  domain: number,
  hour: number,
  type: number,
  provider: string,
  classification: string,
  count: number,
]
/** `origin`: origin-text.ts; empty for all origins beyond the limit. */
export type CountedSending = readonly [
  domain: number,
  hour: number,
  type: number,
  provider: string,
  origin: string,
  count: number,
]

export interface ErasedDay {
  readonly day: Day
  /** Erased events that count, by domain. */
  readonly erased: ReadonlyMap<number, number>
  /** All counts of these domains. */
  readonly hours: readonly CountedHour[]
  readonly sending: readonly CountedSending[]
}

const ERASED = 'SELECT domain, sum(count) FROM erased_per_hour GROUP BY domain'
const OF_ERASED = 'domain IN (SELECT domain FROM erased_per_hour)'
const HOURS = `
  SELECT domain, hour + CAST(? AS INTEGER), type, provider, classification, count FROM event_per_hour WHERE ${OF_ERASED}`
const SENDING = `
  SELECT s.domain, s.hour + CAST(? AS INTEGER), s.type, s.provider,
    iif(s.origin = ${OTHER_ORIGINS_KEY}, '', o.address || char(10) || o.source || char(10) || o.pool), s.count
  FROM sending_per_hour s LEFT JOIN origin o ON o.key = s.origin WHERE ${OF_ERASED}`

/** Days from which nothing was erased are left out. */
export function* readErasedDays(source: SourceFolder): Generator<ErasedDay> {
  const known = new Set(source.listDomains().map(({ number }) => number))
  const isKnown = ([domain]: readonly [number, ...unknown[]]) => known.has(domain)
  for (const day of source.listDays()) {
    using db = source.openDay(day)
    if (!db || !hasErased(db, 'erased_per_hour')) continue
    const erased = db.allArrays<[number, number]>(ERASED).filter(isKnown)
    if (erased.length > 0) yield { day, erased: new Map(erased), ...readCounts(db, day, isKnown) }
  }
}

function readCounts(db: Database, day: Day, isKnown: (row: readonly [number, ...unknown[]]) => boolean) {
  const firstHour = startOfDay(day) / 3600
  type Row = [number, number, number, string, string, number]
  return {
    hours: db.allArrays<Row>(HOURS, firstHour).filter(isKnown),
    sending: db.allArrays<Row>(SENDING, firstHour).filter(isKnown),
  }
}
