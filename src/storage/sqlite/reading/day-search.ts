/**
 * How one day is searched. The driver is what costs least: messages that may have a text where it is rare, else the
 * index of the type or the code, else time. What the day does not have at all is known without asking its file.
 */
import type { SqlValue } from '../database/database.ts'
import type { DaySummary } from '../days/day-summary.ts'
import type { TextCandidates } from '../text-index/text-candidates.ts'
import type { SignatureTest } from '../text-index/text-signature.ts'
import type { EventSearch } from './event-search.ts'
import { type SearchIndex, UNINDEXED_CODE } from './search-statements.ts'
import { chooseTextDriver, isWalkedAtOnce, SEARCH_COSTS, type SearchCosts } from './text-driver.ts'

export type DaySearch =
  /** The day has nothing of the kind. */
  | { readonly kind: 'nothing' }
  /** Walk an index newest first; `rows` of it are the domain's. */
  | { readonly kind: 'walk'; readonly index: SearchIndex; readonly values: readonly SqlValue[]; readonly rows: number }
  /** The domain has few messages: look at all of them. */
  | { readonly kind: 'scan' }
  /** Few messages can match: look at their events. */
  | { readonly kind: 'candidates'; readonly messages: readonly number[] }

export interface SearchThresholds {
  /** Up to so many candidate messages are fetched and sorted; more of them are found sooner by walking. */
  readonly candidatesMax: number
  readonly costs: SearchCosts
}

export const SEARCH_THRESHOLDS: SearchThresholds = { candidatesMax: 1000, costs: SEARCH_COSTS }

/** A type that fewer than one event in so many has is found sooner by its index, which leads to each event by itself. */
const SCARCE = 4

/** The file of one day as a search sees it. */
export interface SearchedDay {
  readonly summary: DaySummary
  readonly candidates: TextCandidates
  readonly thresholds: SearchThresholds
}

/** `wanted`: so many events will do. */
export function planDaySearch(day: SearchedDay, domain: number, search: EventSearch, wanted: number): DaySearch {
  const matching = countMatching(day.summary, domain, search)
  if (matching === 0) return { kind: 'nothing' }
  const walk = planWalk(day, domain, search, matching)
  return search.signature ? planText(day, domain, search.signature, walk, wanted) : walk
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

function planText(
  { summary, candidates, thresholds }: SearchedDay,
  domain: number,
  signature: SignatureTest,
  walk: DaySearch & { readonly kind: 'walk' },
  wanted: number,
): DaySearch {
  const { candidatesMax, costs } = thresholds
  const { rows } = walk
  const costOfRow = walk.index === 'event' ? costs.walkedRow : costs.indexedRow
  if (isWalkedAtOnce({ rows, costOfRow }, costs)) return walk
  const { numbers, messages, tail } = candidates.ofDomain(domain, signature, summary.events)
  if (numbers.length + tail.length === 0) return { kind: 'nothing' }
  const counts = { messages, candidates: numbers.length, tail: tail.length, chance: signature.chance }
  const driver = chooseTextDriver({ ...counts, candidatesMax, rows, costOfRow, wanted }, costs)
  if (driver === 'walk') return walk
  return driver === 'scan' ? { kind: 'scan' } : { kind: 'candidates', messages: [...numbers, ...tail] }
}
