/**
 * How one day is searched: which index drives, and what is left to check on each row. The driver is the rarest thing
 * asked for: candidates of the trigram index where they are few, else the index of the type or the code, else time.
 */
import type { EventType } from '../../../events/event.ts'
import type { Database, SqlValue } from '../database.ts'
import { typeNumber } from './event-row.ts'
import { indexedNeedles, matchExpression, type TextFilters, textCondition } from './text-search.ts'
import { type TrigramSample, toTrigrams } from './trigram-sample.ts'

export interface SearchFilters extends TextFilters {
  readonly types?: readonly EventType[]
  readonly responseCode?: number
}

export interface Condition {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

export type DaySearch =
  /** The day has nothing of the kind. */
  | { readonly kind: 'nothing' }
  /** Walk an index newest first; `isExact`: every row of it is a match. */
  | {
      readonly kind: 'walk'
      readonly index: 'event_by_time' | 'event_by_type' | 'event_by_code'
      readonly indexed: Condition
      readonly residual: Condition
      readonly isExact: boolean
    }
  /** Few messages can match: look at their events. */
  | { readonly kind: 'candidates'; readonly messages: readonly number[]; readonly residual: Condition }

export interface SearchThresholds {
  /** Up to so many candidate messages are fetched and sorted; more of them are found sooner by walking. */
  readonly candidatesMax: number
  /** What has at most so many events in the day, a type or the whole domain, is walked without asking any other index. */
  readonly fewEvents: number
}

export const SEARCH_THRESHOLDS: SearchThresholds = { candidatesMax: 1000, fewEvents: 500 }

/** Three rare trigrams leave a handful of candidates; each more costs another list. */
const TRIGRAMS_PER_NEEDLE = 3
/** Deliveries: too common for an index to pay, see the partial index. */
const UNINDEXED_CODE = 250

/** The file of one day as a search sees it. */
export interface SearchedDay {
  readonly db: Database
  readonly sample: TrigramSample
  readonly thresholds: SearchThresholds
}

export function planDaySearch(day: SearchedDay, domain: number, filters: SearchFilters): DaySearch {
  const only = filters.types?.length === 1 ? filters.types[0] : undefined
  const eventsOfType = only === undefined ? undefined : countOfType(day.db, domain, only)
  if (eventsOfType === 0) return { kind: 'nothing' }
  const isRareType = eventsOfType !== undefined && eventsOfType <= day.thresholds.fewEvents
  const messages = isRareType ? undefined : findCandidates(day, domain, filters)
  if (messages?.length === 0) return { kind: 'nothing' }
  if (messages) {
    return { kind: 'candidates', messages, residual: all(typeTest(filters), codeTest(filters), textCondition(filters)) }
  }
  return planWalk(domain, filters, isRareType)
}

function planWalk(domain: number, filters: SearchFilters, isRareType: boolean): DaySearch {
  const { types, responseCode } = filters
  const only = types?.length === 1 ? types[0] : undefined
  const inDomain: Condition = { sql: 'e.domain = ?', values: [domain] }
  if (responseCode !== undefined && responseCode !== UNINDEXED_CODE && !isRareType) {
    // Said twice because SQLite uses a partial index only where the query repeats its condition.
    const indexed = all(inDomain, codeTest(filters), { sql: `e.response_code <> ${UNINDEXED_CODE}`, values: [] })
    return walk('event_by_code', indexed, all(typeTest(filters), textCondition(filters)))
  }
  if (only !== undefined) {
    const indexed = all(inDomain, { sql: 'e.type = ?', values: [typeNumber(only)] })
    return walk('event_by_type', indexed, all(codeTest(filters), textCondition(filters)))
  }
  return walk('event_by_time', inDomain, all(typeTest(filters), codeTest(filters), textCondition(filters)))
}

function walk(
  index: 'event_by_time' | 'event_by_type' | 'event_by_code',
  indexed: Condition,
  residual: Condition,
): DaySearch {
  return { kind: 'walk', index, indexed, residual, isExact: residual.sql === '' }
}

/**
 * Messages that may match, when they are few. The domain's own list is long, so it is asked for only where the text alone
 * does not do: a text that is common everywhere may still be rare in a small domain. Where the sample says that there are
 * far too many anyway, nothing is asked.
 */
function findCandidates(day: SearchedDay, domain: number, filters: SearchFilters): readonly number[] | undefined {
  const { sample, thresholds } = day
  const needles = indexedNeedles(filters)
  if (needles.length === 0) return undefined
  const events = countOfDomain(day.db, domain)
  if (events <= thresholds.fewEvents) return events === 0 ? [] : undefined
  const trigrams = needles.flatMap((needle) => sample.rarest(toTrigrams(needle), TRIGRAMS_PER_NEEDLE))
  const share = sample.share(trigrams)
  const isCommon = (messages: number) => share * messages > 2 * thresholds.candidatesMax
  const found = isCommon(sample.messages) ? undefined : matchFew(day, matchExpression(trigrams))
  if (found || isCommon(events)) return found
  return matchFew(day, matchExpression(trigrams, domain))
}

/** The messages that the index names, unless they are too many. */
function matchFew({ db, thresholds }: SearchedDay, match: string): readonly number[] | undefined {
  const rows = db.allArrays<[number]>(
    `SELECT rowid FROM message_text WHERE message_text MATCH ? LIMIT ${thresholds.candidatesMax + 1}`,
    match,
  )
  return rows.length > thresholds.candidatesMax ? undefined : rows.map(([rowid]) => rowid)
}

function countOfDomain(db: Database, domain: number): number {
  return (
    db.get<{ count: number | null }>('SELECT sum(count) AS count FROM counter WHERE domain = ?', domain)?.count ?? 0
  )
}

function countOfType(db: Database, domain: number, type: EventType): number {
  return (
    db.get<{ count: number }>('SELECT count FROM counter WHERE domain = ? AND type = ?', domain, typeNumber(type))
      ?.count ?? 0
  )
}

function typeTest({ types }: SearchFilters): Condition {
  // Numbers from a closed list, written out: the statement's text then differs only by which types are asked for.
  return { sql: types ? `e.type IN (${types.map(typeNumber).join(', ')})` : '', values: [] }
}

function codeTest({ responseCode }: SearchFilters): Condition {
  return responseCode === undefined ? { sql: '', values: [] } : { sql: 'e.response_code = ?', values: [responseCode] }
}

function all(...conditions: readonly Condition[]): Condition {
  const given = conditions.filter((condition) => condition.sql !== '')
  return {
    sql: given.map((condition) => condition.sql).join(' AND '),
    values: given.flatMap((condition) => condition.values),
  }
}
