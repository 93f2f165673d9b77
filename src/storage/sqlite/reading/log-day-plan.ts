/**
 * How one day is searched for the events of many domains. Few messages that may have a text are looked at one by one.
 * A tenant who has much of the day is found by walking the day itself; one who has little, by asking the index of each of
 * the domains for a stretch of time.
 */
import type { LogConditions } from '../../../events/log-query.ts'
import type { Database } from '../database/database.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { DOMAIN_OF_MESSAGE, NUMBER_OF_MESSAGE } from '../days/message-key.ts'
import type { TextCandidates } from '../text-index/text-candidates.ts'
import { SignatureTest } from '../text-index/text-signature.ts'
import { hashId, identityRange, typeNumber } from '../writing/event-row.ts'
import { logCondition, type SqlCondition } from './log-conditions.ts'
import type { RememberedTexts } from './remembered-texts.ts'
import { UNINDEXED_CODE } from './search-statements.ts'

export type LogDayPlan =
  /** The day has nothing of the kind. */
  | { readonly kind: 'nothing' }
  /** Few messages can match: look at their events. */
  | { readonly kind: 'candidates'; readonly messages: readonly number[]; readonly residual: SqlCondition }
  /** Walk all events of the day, newest first. */
  | { readonly kind: 'walk'; readonly residual: SqlCondition }
  /** Ask the index of each domain (and type) for one stretch of time after the other. */
  | {
      readonly kind: 'stretches'
      readonly driver: StretchDriver
      /** How many events the index has for it in the day. */
      readonly events: number
      readonly residual: SqlCondition
    }

/** What is asked for with each stretch, and of which index. Only what the day has. */
export type StretchDriver =
  | { readonly index: 'event'; readonly domains: readonly number[] }
  | { readonly index: 'event_by_type'; readonly domains: readonly number[]; readonly types: readonly number[] }
  /** Domains times CODES plus code. */
  | { readonly index: 'event_by_code'; readonly codes: readonly number[] }

/** Reply codes are below this. */
export const CODES = 1000

export interface LogThresholds {
  /** Up to so many candidate messages are fetched and sorted. */
  readonly candidatesMax: number
  /** What has at most so many events in the day is searched without asking the text index. */
  readonly fewEvents: number
  /** Walk the day where at least one in so many of its events is the tenant's. */
  readonly walkShare: number
  /** Events examined by one statement, so that no statement holds up the thread. */
  readonly sliceRows: number
}

export const LOG_THRESHOLDS: LogThresholds = { candidatesMax: 1000, fewEvents: 500, walkShare: 4, sliceRows: 4000 }

/** A code is asked for by its index where at most one event in so many has it: each is looked up by itself. */
const CODE_FACTOR = 2
/** More look-ups than this for each stretch take longer than walking. */
const CODES_MAX = 4000
/** Of one message, each of which is a row. */
const RECIPIENTS_MAX = 10_000
/** Signatures of domains with so many events together are read at once. */
const EVENTS_AT_ONCE = 100_000

/** The file of one day as a search sees it. */
export interface LogDay {
  readonly db: Database
  readonly summary: Pick<DaySummary, 'events' | 'count' | 'listCodes'>
  readonly candidates: TextCandidates
  readonly texts: RememberedTexts
  readonly thresholds: LogThresholds
}

export function planLogDay(day: LogDay, domains: readonly number[], conditions: LogConditions): LogDayPlan {
  const { summary, thresholds } = day
  const types = conditions.types?.map(typeNumber)
  const active = domains.filter((domain) => summary.count(domain, types) > 0)
  const events = active.reduce((sum, domain) => sum + summary.count(domain, types), 0)
  if (events === 0) return { kind: 'nothing' }
  const messages = findCandidates(day, active, events, conditions)
  if (messages?.length === 0) return { kind: 'nothing' }
  if (messages) return { kind: 'candidates', messages, residual: logCondition(conditions) }
  const coded = planByCode(day, active, conditions)
  if (coded && (coded.events === 0 || coded.events * CODE_FACTOR < events)) {
    return coded.events === 0 ? { kind: 'nothing' } : coded
  }
  if (events * thresholds.walkShare >= summary.events) return { kind: 'walk', residual: logCondition(conditions) }
  const residual = logCondition(conditions, { isTypeIndexed: true })
  const driver: StretchDriver = types
    ? { index: 'event_by_type', domains: active, types }
    : { index: 'event', domains: active }
  return { kind: 'stretches', driver, events, residual }
}

/** By the index of codes; undefined where that does not have all of them, or where they are too many to be asked for. */
function planByCode(
  { summary }: LogDay,
  domains: readonly number[],
  conditions: LogConditions,
): (LogDayPlan & { readonly kind: 'stretches' }) | undefined {
  const { codes: ranges } = conditions
  const isWithin = (code: number) => ranges?.some(({ from, to }) => code >= from && code <= to)
  if (!ranges || isWithin(UNINDEXED_CODE)) return undefined
  const own = new Set(domains)
  const found = [...summary.listCodes()].filter(([domain, code]) => own.has(domain) && isWithin(code))
  if (found.length > CODES_MAX) return undefined
  return {
    kind: 'stretches',
    driver: { index: 'event_by_code', codes: found.map(([domain, code]) => domain * CODES + code) },
    events: found.reduce((sum, [, , count]) => sum + count, 0),
    residual: logCondition(conditions),
  }
}

/** Messages that may match, when they are few; undefined where walking finds them sooner. */
function findCandidates(
  day: LogDay,
  domains: readonly number[],
  events: number,
  { messageId, anyText, recipient, sender, from, subject }: LogConditions,
): readonly number[] | undefined {
  if (messageId !== undefined) {
    // One message to very many recipients is met on the way.
    const numbers = listMessageNumbers(day.db, domains, messageId)
    return numbers.length > RECIPIENTS_MAX ? undefined : numbers
  }
  if (events <= day.thresholds.fewEvents) return undefined
  const named = {
    ...(recipient && { recipient }),
    ...(sender && { sender }),
    ...(from && { from }),
    ...(subject && { subject }),
  }
  const signature = SignatureTest.of(named, anyText)
  if (!signature) return undefined
  const groups = groupDomains(day.summary, domains)
  const found = day.candidates.ofDomains(groups, signature, day.summary.events, day.thresholds.candidatesMax)
  if (!found || anyText === undefined) return found
  return [...new Set([...found, ...listMessageNumbers(day.db, domains, anyText)])]
}

/** Domains that have so many events together. */
function* groupDomains(summary: LogDay['summary'], domains: readonly number[]): Generator<readonly number[]> {
  let group: number[] = []
  let events = 0
  for (const domain of domains) {
    group.push(domain)
    events += summary.count(domain)
    if (events < EVENTS_AT_ONCE) continue
    yield group
    group = []
    events = 0
  }
  if (group.length > 0) yield group
}

export function listMessageNumbers(db: Database, domains: readonly number[], id: string): readonly number[] {
  const rows = db.allArrays<[number]>(
    `SELECT ${NUMBER_OF_MESSAGE} FROM message m INDEXED BY message_by_identity
     WHERE identity >= ? AND identity < ? AND id = ? AND ${DOMAIN_OF_MESSAGE} IN (SELECT value FROM json_each(?))`,
    ...identityRange(hashId(id)),
    id,
    JSON.stringify(domains),
  )
  return rows.map(([number]) => number)
}
