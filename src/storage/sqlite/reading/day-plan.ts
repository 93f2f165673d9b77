/**
 * Plans the search of one day. Counts in memory rule out days without matches. Otherwise the cheapest plan is chosen: the
 * messages that may have the text, if they are few; the index of the type or the code, if that is rare; otherwise a walk by
 * time. With many domains, the whole day is walked if they have a large share of it; if their share is small, the index of
 * each domain is read for one interval of time (stretch) after the other.
 */
import type { Database, SqlValue } from '../database/database.ts'
import type { CodeCounts } from '../days/code-counts.ts'
import type { DaySummary } from '../days/day-summary.ts'
import { identityRange } from '../days/message-identity.ts'
import { DOMAIN_OF_MESSAGE, messageKey, NUMBER_OF_MESSAGE } from '../days/message-key.ts'
import { CODES } from '../days/stored-codes.ts'
import type { TextCandidates } from '../text-index/text-candidates.ts'
import type { SignatureTest } from '../text-index/text-signature.ts'
import type { LogSearch, MessageId, SearchIndex } from './log-search.ts'
import type { StretchDriver } from './search-statements.ts'
import { chooseTextDriver, isWalkedAtOnce, SEARCH_COSTS, type SearchCosts } from './text-driver.ts'

export type DayPlan =
  | { readonly kind: 'nothing' }
  /** Walk an index of one domain newest first; `rows` of it are the domain's. */
  | DomainWalk
  /** The domain has few messages: read all of them. */
  | { readonly kind: 'scan'; readonly domain: number }
  /** One message id of one domain, if it has few events; else walk. */
  | { readonly kind: 'message'; readonly domain: number; readonly idHash: number; readonly walk: Walk }
  /** Few messages can match: read their events. */
  | { readonly kind: 'candidates'; readonly domains: readonly number[]; readonly messages: readonly number[] }
  /** Walk all events of the day newest first. */
  | { readonly kind: 'walk many'; readonly domains: readonly number[] }
  | StretchWalk

/** Read an index for one interval of time (stretch) after the other; it has `events` in the day. */
export interface StretchWalk {
  readonly kind: 'stretches'
  readonly driver: StretchDriver
  readonly events: number
}

export type Walk = DomainWalk | StretchWalk

export interface DomainWalk {
  readonly kind: 'walk'
  readonly domain: number
  readonly index: SearchIndex
  readonly values: readonly SqlValue[]
  readonly rows: number
}

export interface SearchThresholds {
  /** The most candidate messages that are fetched and sorted; more of them are found faster by walking. */
  readonly candidatesMax: number
  /** The most events that one statement sorts, so that none blocks the thread for long. */
  readonly sortedMax: number
  /** The most rows that one statement examines. */
  readonly sliceRows: number
  /** Many domains with at most this many events in the day are searched without the text index. */
  readonly fewEvents: number
  /** Walk the whole day if many domains have at least one in this many of its events. */
  readonly walkShare: number
  readonly costs: SearchCosts
}

export const SEARCH_THRESHOLDS: SearchThresholds = {
  candidatesMax: 1000,
  sortedMax: 2000,
  sliceRows: 16_000,
  fewEvents: 500,
  walkShare: 4,
  costs: SEARCH_COSTS,
}

/** An index pays off for a type that fewer than one in this many events has: it leads to each event separately. */
const SCARCE = 4
/** The same for codes, over many domains. */
const SCARCE_CODE = 2
/** More look-ups than this for each stretch take longer than walking. */
const LOOKUPS_MAX = 4000
/** Up to this many candidates, one more statement costs more than it saves. */
const UNTESTED_MAX = 50
/** Few messages can have very many events. */
const SCANNED_EVENTS_MAX = 20_000
/** The signatures of domains with at most this many events together are read by one statement. */
const EVENTS_AT_ONCE = 50_000
const DOMAINS_AT_ONCE = 1000

/** The file of one day as a search sees it. */
export interface SearchedDay {
  readonly db: Database
  readonly summary: DaySummary
  /** Undefined while they are being loaded. */
  readonly codes: CodeCounts | undefined
  readonly candidates: TextCandidates
  readonly thresholds: SearchThresholds
  mayHaveMessage(idHash: number): boolean
}

/** Yields if planning takes long, so that others get the thread. */
export type Planning = Generator<undefined, DayPlan>

/** Most plans need only memory; those that query the file are made in steps. `wanted`: the number of events that are needed. */
export function planDay(
  day: SearchedDay,
  domains: readonly number[],
  search: LogSearch,
  wanted: number,
): DayPlan | Planning {
  if (search.addresses && !hasAddress(day.db, search.addresses)) return { kind: 'nothing' }
  const active = domains.filter((domain) => countMatching(day, domain, search) > 0)
  const [only] = active
  if (only === undefined || (search.messageId && !day.mayHaveMessage(search.messageId.hash))) return { kind: 'nothing' }
  return active.length === 1 ? planDomain(day, only, search, wanted) : planDomains(day, active, search)
}

/** Whether anything on this day was sent from one of the addresses. */
function hasAddress(db: Database, addresses: readonly string[]): boolean {
  const sql = 'SELECT 1 FROM json_each(?) a WHERE EXISTS (SELECT 1 FROM origin o WHERE o.address = a.value) LIMIT 1'
  return db.get(sql, JSON.stringify(addresses)) !== undefined
}

/** Maximum number of matching events of the domain, from the counts in memory. */
function countMatching({ summary, codes }: SearchedDay, domain: number, search: LogSearch): number {
  const ofTypes = summary.count(domain, search.types)
  if (!search.codes || !codes) return ofTypes
  return Math.min(ofTypes, codes.count(domain, search.codes))
}

function planDomain(day: SearchedDay, domain: number, search: LogSearch, wanted: number): DayPlan | Planning {
  const walk = planWalk(day, domain, search)
  const { messageId, signature } = search
  // A large mailing is found by a text of it, or by walking.
  if (messageId && !(signature && hasManyOfHash(day.db, messageId.hash, day.thresholds.sortedMax))) {
    return { kind: 'message', domain, idHash: messageId.hash, walk }
  }
  return signature ? planText(day, domain, search, signature, walk, wanted) : walk
}

function planWalk(day: SearchedDay, domain: number, search: LogSearch): Walk {
  const { summary, codes } = day
  const { types, onlyCode } = search
  if (onlyCode !== undefined) {
    const rows = codes?.count(domain, [{ from: onlyCode, to: onlyCode }]) ?? summary.count(domain)
    return { kind: 'walk', domain, index: 'event_by_code', values: [domain, onlyCode], rows }
  }
  const ofTypes = summary.count(domain, types)
  const coded = planByCode(day, [domain], search, ofTypes)
  if (coded) return coded
  const all = summary.count(domain)
  if (types?.length === 1 && ofTypes * SCARCE < all) {
    return { kind: 'walk', domain, index: 'event_by_type', values: [domain, ...types], rows: ofTypes }
  }
  return { kind: 'walk', domain, index: 'event', values: [domain], rows: all }
}

function* planText(
  day: SearchedDay,
  domain: number,
  search: LogSearch,
  signature: SignatureTest,
  walk: Walk,
  wanted: number,
): Planning {
  const { candidatesMax, costs } = day.thresholds
  const rows = walk.kind === 'walk' ? walk.rows : walk.events
  const costOfRow = walk.kind === 'walk' && walk.index === 'event' ? costs.walkedRow : costs.indexedRow
  if (isWalkedAtOnce({ rows, costOfRow }, costs)) return walk
  const { numbers, messages, tail } = yield* day.candidates.ofDomain(domain, signature, day.summary.events)
  const ofId = findAnyMessages(day.db, [domain], search.anyIds, candidatesMax)
  if (!ofId) return walk
  if (numbers.length + tail.length + ofId.length === 0) return { kind: 'nothing' }
  const counts = { messages, candidates: numbers.length, tail: tail.length + ofId.length, chance: signature.chance }
  const driver = chooseTextDriver({ ...counts, candidatesMax, rows, costOfRow, wanted }, costs)
  if (driver === 'scan') return day.summary.count(domain) > SCANNED_EVENTS_MAX ? walk : { kind: 'scan', domain }
  if (driver === 'walk') return walk
  const candidates = [...new Set([...numbers, ...tail, ...ofId])]
  // Most candidates of a large domain are wrong. Without them, counting and sorting the events costs little.
  const isLarge = candidates.length > UNTESTED_MAX && day.summary.count(domain) > day.thresholds.sortedMax
  const matching = isLarge ? listMatching(day.db, domain, candidates, search) : candidates
  if (matching.length === 0) return { kind: 'nothing' }
  return isSortable(day, [domain], matching) ? { kind: 'candidates', domains: [domain], messages: matching } : walk
}

/** Those of the messages that have the text. */
function listMatching(db: Database, domain: number, messages: readonly number[], { ofMessage }: LogSearch) {
  const rows = db.allArrays<[number]>(
    `SELECT k.value FROM json_each(?) k CROSS JOIN message m ON m.key = ${messageKey('?2', 'k.value')} WHERE ${ofMessage.sql}`,
    JSON.stringify(messages),
    domain,
    ...ofMessage.values,
  )
  return rows.map(([number]) => number)
}

function* planDomains(day: SearchedDay, domains: readonly number[], search: LogSearch): Planning {
  const { summary, thresholds } = day
  const { types } = search
  const events = countEvents(summary, domains, types)
  const messages = yield* findCandidates(day, domains, events, search)
  if (messages?.length === 0) return { kind: 'nothing' }
  if (messages && isSortable(day, domains, messages)) return { kind: 'candidates', domains, messages }
  const coded = planByCode(day, domains, search, events)
  if (coded) return coded
  const lookups = domains.length * (types?.length ?? 1)
  if (events * thresholds.walkShare >= summary.events || lookups > LOOKUPS_MAX) return { kind: 'walk many', domains }
  const driver: StretchDriver = types ? { index: 'event_by_type', domains, types } : { index: 'event', domains }
  return { kind: 'stretches', driver, events }
}

/** Messages that may match, if they are few; undefined if walking finds them faster. */
function* findCandidates(
  { db, summary, candidates, thresholds }: SearchedDay,
  domains: readonly number[],
  events: number,
  { messageId, anyIds, signature }: LogSearch,
): Generator<undefined, readonly number[] | undefined> {
  const ofMessage = messageId && findMessageNumbers(db, domains, messageId, thresholds.sortedMax)
  if (ofMessage) return ofMessage
  if (!signature || events <= thresholds.fewEvents) return undefined
  const groups = groupDomains(summary, domains)
  const found = yield* candidates.ofDomains(groups, signature, summary.events, thresholds.candidatesMax)
  const ofId = findAnyMessages(db, domains, anyIds, thresholds.candidatesMax)
  return found && ofId && [...new Set([...found, ...ofId])]
}

/** By the index of codes; undefined if it lacks some of the codes, or if they are too many or not rare. */
function planByCode(
  { codes: counts }: SearchedDay,
  domains: readonly number[],
  { codes: ranges }: LogSearch,
  events: number,
): StretchWalk | undefined {
  if (!ranges || !counts) return undefined
  const codes: number[] = []
  let coded = 0
  for (const domain of domains) {
    for (const { code, count } of counts.list(domain, ranges)) {
      codes.push(domain * CODES + code)
      coded += count
    }
  }
  if (codes.length > LOOKUPS_MAX || coded * SCARCE_CODE >= events) return undefined
  return { kind: 'stretches', driver: { index: 'event_by_code', codes }, events: coded }
}

/** Whether one statement can sort all events of the messages. The domains' own count is checked first: it costs nothing. */
function isSortable(
  { db, summary, thresholds }: SearchedDay,
  domains: readonly number[],
  messages: readonly number[],
): boolean {
  const { sortedMax } = thresholds
  if (countEvents(summary, domains) <= sortedMax) return true
  const events = db.number(
    `SELECT count(*) FROM (SELECT 1 FROM json_each(?) k
       CROSS JOIN event e INDEXED BY event_of_message ON e.message = k.value LIMIT CAST(? AS INTEGER) + 1)`,
    JSON.stringify(messages),
    sortedMax,
  )
  return events <= sortedMax
}

function countEvents(summary: DaySummary, domains: readonly number[], types?: readonly number[]): number {
  return domains.reduce((sum, domain) => sum + summary.count(domain, types), 0)
}

/** Groups of at least one domain that have at most EVENTS_AT_ONCE events together; a larger domain is its own group. */
function* groupDomains(summary: DaySummary, domains: readonly number[]): Generator<readonly number[]> {
  let group: number[] = []
  let events = 0
  for (const domain of domains) {
    const own = summary.count(domain)
    if (group.length > 0 && (events + own > EVENTS_AT_ONCE || group.length === DOMAINS_AT_ONCE)) {
      yield group
      group = []
      events = 0
    }
    group.push(domain)
    events += own
  }
  yield group
}

/** Messages with the id; undefined if more than `most` would have to be examined. */
function findMessageNumbers(
  db: Database,
  domains: readonly number[],
  messageId: MessageId,
  most: number,
): readonly number[] | undefined {
  return hasManyOfHash(db, messageId.hash, most) ? undefined : listMessageNumbers(db, domains, messageId)
}

/** Messages with one of the ids; undefined if more than `most` would have to be examined for one of them. */
function findAnyMessages(
  db: Database,
  domains: readonly number[],
  ids: readonly MessageId[],
  most: number,
): readonly number[] | undefined {
  const found: number[] = []
  for (const id of ids) {
    const ofId = findMessageNumbers(db, domains, id, most)
    if (!ofId) return undefined
    found.push(...ofId)
  }
  return found
}

/** Of all domains: anybody may send a large mailing with an id that others use too. */
export function hasManyOfHash(db: Database, idHash: number, most: number): boolean {
  const messages = db.number(
    `SELECT count(*) FROM (SELECT 1 FROM message INDEXED BY message_by_identity
       WHERE identity >= ? AND identity < ? LIMIT CAST(? AS INTEGER) + 1)`,
    ...identityRange(idHash),
    most,
  )
  return messages > most
}

/** Examines every message of the day whose id has the hash. */
function listMessageNumbers(db: Database, domains: readonly number[], { id, hash }: MessageId): readonly number[] {
  const rows = db.allArrays<[number]>(
    `SELECT ${NUMBER_OF_MESSAGE} FROM message m INDEXED BY message_by_identity
     WHERE identity >= ? AND identity < ? AND id = ? AND ${DOMAIN_OF_MESSAGE} IN (SELECT value FROM json_each(?))`,
    ...identityRange(hash),
    id,
    JSON.stringify(domains),
  )
  return rows.map(([number]) => number)
}
