/**
 * How one day is searched. The driver is what costs least: candidates of the trigram index where a text is rare, else the
 * index of the type or the code, else time. What the day does not have at all is known without asking its file.
 */
import type { Database, SqlValue } from '../database.ts'
import type { DaySummary } from './day-summary.ts'
import type { EventSearch } from './event-search.ts'
import { type SearchIndex, UNINDEXED_CODE } from './search-statements.ts'
import { matchExpression } from './text-search.ts'
import type { TrigramSample } from './trigram-sample.ts'

export type DaySearch =
  /** The day has nothing of the kind. */
  | { readonly kind: 'nothing' }
  /** Walk an index newest first; `rows` of it are the domain's. */
  | { readonly kind: 'walk'; readonly index: SearchIndex; readonly values: readonly SqlValue[]; readonly rows: number }
  /** Few messages can match: look at their events. */
  | { readonly kind: 'candidates'; readonly messages: readonly number[] }

export interface SearchThresholds {
  /** Up to so many candidate messages are fetched and sorted; more of them are found sooner by walking. */
  readonly candidatesMax: number
  /** Rows that are walked in the time that asking the trigram index takes at least. */
  readonly rowsPerQuery: number
}

export const SEARCH_THRESHOLDS: SearchThresholds = { candidatesMax: 1000, rowsPerQuery: 40 }

/** Three rare trigrams leave a handful of candidates; each more costs another list. */
const TRIGRAMS_PER_NEEDLE = 3
/** Entries of the trigram index that are read in the time of walking one row. */
const POSTINGS_PER_ROW = 50
/** Rows that are walked in the time of looking at one candidate. */
const ROWS_PER_CANDIDATE = 3

/** A type that fewer than one event in so many has is found sooner by its index, which leads to each event by itself. */
const SCARCE = 4

/** The file of one day as a search sees it. */
export interface SearchedDay {
  readonly db: Database
  readonly summary: DaySummary
  readonly sample: TrigramSample
  readonly thresholds: SearchThresholds
}

/** `wanted`: so many events will do. */
export function planDaySearch(day: SearchedDay, domain: number, search: EventSearch, wanted: number): DaySearch {
  const matching = countMatching(day.summary, domain, search)
  if (matching === 0) return { kind: 'nothing' }
  const walk = planWalk(day, domain, search, matching)
  if (search.needles.length === 0) return walk
  const messages = findCandidates(day, domain, search, walk.rows, wanted)
  if (!messages) return walk
  return messages.length === 0 ? { kind: 'nothing' } : { kind: 'candidates', messages }
}

/** No more events of the day than this match, by what is known without asking its file. */
export function countMatching(summary: DaySummary, domain: number, { types, responseCode }: EventSearch): number {
  const ofTypes = summary.count(domain, types)
  if (ofTypes === 0 || responseCode === undefined || responseCode === UNINDEXED_CODE) return ofTypes
  return Math.min(ofTypes, summary.countCode(domain, responseCode))
}

function planWalk(
  { summary }: SearchedDay,
  domain: number,
  { types, responseCode }: EventSearch,
  matching: number,
): DaySearch & { kind: 'walk' } {
  if (responseCode !== undefined && responseCode !== UNINDEXED_CODE) {
    const rows = summary.countCode(domain, responseCode)
    return { kind: 'walk', index: 'event_by_code', values: [domain, responseCode], rows }
  }
  const all = summary.count(domain)
  if (types?.length === 1 && matching * SCARCE < all) {
    return { kind: 'walk', index: 'event_by_type', values: [domain, ...types], rows: matching }
  }
  return { kind: 'walk', index: 'event', values: [domain], rows: all }
}

/** Messages that may match; undefined where walking `rows` until enough is found takes less time than asking for them. */
function findCandidates(
  { db, summary, sample, thresholds }: SearchedDay,
  domain: number,
  { needles }: EventSearch,
  rows: number,
  wanted: number,
): readonly number[] | undefined {
  if (rows <= thresholds.rowsPerQuery) return undefined
  sample.drawWhenGrown(summary.events)
  const trigrams = needles.flatMap((needle) => sample.rarest(needle, TRIGRAMS_PER_NEEDLE))
  const share = sample.share(trigrams)
  const rowsWalked = share === 0 ? rows : Math.min(rows, wanted / share)
  const candidates = share * summary.count(domain)
  const cost = thresholds.rowsPerQuery + sample.postings(trigrams) / POSTINGS_PER_ROW + candidates * ROWS_PER_CANDIDATE
  if (candidates > 2 * thresholds.candidatesMax || cost > rowsWalked) return undefined
  const found = db.allArrays<[number]>(MATCH, matchExpression(trigrams, domain), thresholds.candidatesMax + 1)
  return found.length > thresholds.candidatesMax ? undefined : found.map(([rowid]) => rowid)
}

const MATCH = 'SELECT rowid FROM message_text WHERE message_text MATCH ? LIMIT CAST(? AS INTEGER)'
