/** Rows of a day's file by what they look like: which page belongs to which table is not known if the schema is damaged. */
import { EVENT_TYPES } from '../../../events/event.ts'
import type { SqlValue } from '../database/database.ts'
import { isDay } from '../days/day.ts'
import type { DayIdentity, DomainClaim } from '../manifest/domain-claims.ts'
import type { Row } from './cells.ts'

/** In the order of the columns of the table. */
export type DayRow =
  | { readonly table: 'mailing' | 'circumstance'; readonly key: number; readonly members: string }
  | { readonly table: 'origin'; readonly key: number; readonly parts: OriginParts }
  | { readonly table: 'message'; readonly message: MessageRow }
  | { readonly table: 'event'; readonly event: SavedEvent }
  | {
      readonly table: 'arrival_batch'
      readonly first: number
      readonly storedAtMs: number
      readonly events: Uint8Array
    }
  | { readonly table: 'counter'; readonly domain: number; readonly type: number; readonly changedAtMs: number }
  | { readonly table: 'identity'; readonly identity: DayIdentity }
  | { readonly table: 'domain_claim'; readonly claim: DomainClaim }
  | { readonly table: 'day'; readonly arrival: number; readonly message: number; readonly closed: number }

type OriginParts = readonly [address: string, source: string, pool: string]

export interface MessageRow {
  readonly key: number
  readonly id: string
  readonly recipient: string
  readonly sender: string | null
  readonly subject: string | null
  readonly serviceMessageId: string | null
  readonly size: number | null
  readonly mailing: number
  readonly plain: number
  readonly identity: number
}

export interface SavedEvent {
  readonly domain: number
  readonly position: number
  readonly type: number
  readonly responseCode: number | null
  readonly message: number
  /** Escaped for JSON. */
  readonly content: string | null
  readonly circumstance: number
  readonly key: number
  readonly origin: number | null
  readonly retryAfter: number | null
}

/** Years 2001 to 2286, in milliseconds. */
const TIMES = { from: 1e12, to: 1e13 } as const
const POSITIONS = 86_400 * 2 ** 32
const INSTALLATION = /^[0-9a-f]{32}$/
const CHECKSUM = /^[0-9a-f]{64}$/

/** Undefined for rows of indexes and of tables that are computed from the others, and for those that cannot be ours. */
export function recognize({ rowid, values }: Row): DayRow | undefined {
  return rowid === undefined ? recognizeIndexed(values) : recognizeTable(rowid, values)
}

function recognizeTable(rowid: number, values: readonly SqlValue[]): DayRow | undefined {
  const [first, second, third] = values
  // The number of the row stands for its INTEGER PRIMARY KEY, which is NULL in the record.
  switch (values.length) {
    case 2:
      if (isText(first) && isText(second) && INSTALLATION.test(first) && isDay(second)) {
        return { table: 'identity', identity: { installation: first, day: second } }
      }
      return first === null ? sharedText('circumstance', rowid, second) : undefined
    case 3:
      if (first !== null) return undefined
      if (isCount(second) && third instanceof Uint8Array) {
        return { table: 'arrival_batch', first: rowid, storedAtMs: second, events: third }
      }
      return recognizeTexts(rowid, second, third)
    case 4:
      return first === null ? recognizeOrigin(rowid, values.slice(1)) : recognizeDay(values)
    case 10:
      return first === null ? recognizeMessage(rowid, values) : undefined
  }
  return undefined
}

/** A mailing has its From, if it has one, among its members as well. */
function recognizeTexts(rowid: number, second: SqlValue | undefined, third: SqlValue | undefined): DayRow | undefined {
  if (!isText(third) || !(second === null || isText(second))) return undefined
  if (second === null || third.startsWith(',"')) return sharedText('mailing', rowid, third)
  // The table of migrations has three columns too.
  if (CHECKSUM.test(third)) return undefined
  return { table: 'domain_claim', claim: { number: rowid, id: second, name: third } }
}

function recognizeDay(values: readonly SqlValue[]): DayRow | undefined {
  const [arrival, message, indexed, closed] = values
  if (!isCount(arrival) || !isCount(message) || !isCount(indexed)) return undefined
  return closed === 0 || closed === 1 ? { table: 'day', arrival, message, closed } : undefined
}

function recognizeOrigin(key: number, [address, source, pool]: readonly SqlValue[]): DayRow | undefined {
  if (!isText(address) || !isText(source) || !isText(pool)) return undefined
  return { table: 'origin', key, parts: [address, source, pool] }
}

function recognizeMessage(key: number, values: readonly SqlValue[]): DayRow | undefined {
  const [, id, recipient, sender, subject, serviceMessageId, size, mailing, plain, identity] = values
  if (!isText(id) || !isText(recipient) || !isTextOrNull(sender) || !isTextOrNull(subject)) return undefined
  if (!isTextOrNull(serviceMessageId) || !(size === null || isCount(size))) return undefined
  if (!isCount(mailing) || !isCount(plain) || !isCount(identity)) return undefined
  const message = { key, id, recipient, sender, subject, serviceMessageId, size, mailing, plain, identity }
  return { table: 'message', message }
}

function recognizeIndexed(values: readonly SqlValue[]): DayRow | undefined {
  const [first, second, third, fourth] = values
  switch (values.length) {
    case 2:
      // The index that makes a shared text unique has a copy of it.
      return isCount(second) ? sharedText(tableOf(first), second, first) : undefined
    case 4:
      // The index that makes an origin unique has a copy of it.
      if (isText(first)) return isCount(fourth) ? recognizeOrigin(fourth, values) : undefined
      // The index of messages has four numbers too, but none like these.
      if (!isCount(first) || !isCount(second) || !isCount(third) || !isCount(fourth)) return undefined
      if (second >= EVENT_TYPES.length || fourth < TIMES.from || fourth > TIMES.to) return undefined
      return { table: 'counter', domain: first, type: second, changedAtMs: fourth }
    // Rows from before the last two columns are shorter.
    case 8:
    case 9:
    case 10:
      return recognizeEvent(values)
  }
  return undefined
}

function recognizeEvent(values: readonly SqlValue[]): DayRow | undefined {
  const [domain, position, type, responseCode, message, content, circumstance, key] = values
  const [origin, retryAfter] = values.slice(8).map((value) => (isCount(value) ? value : null))
  if (!isCount(domain) || !isCount(position) || !isCount(type) || !isCount(message)) return undefined
  if (!(responseCode === null || isCount(responseCode)) || !isTextOrNull(content)) return undefined
  if (!isCount(circumstance) || !isCount(key)) return undefined
  if (type >= EVENT_TYPES.length || position >= POSITIONS) return undefined
  const own = { domain, position, type, responseCode, message, content, circumstance, key }
  return { table: 'event', event: { ...own, origin: origin ?? null, retryAfter: retryAfter ?? null } }
}

/** Mailings have these fields, circumstances others. */
const OF_MAILING = /^,"(from|direction|campaign|reception_protocol)":/

function tableOf(members: SqlValue | undefined): 'mailing' | 'circumstance' | undefined {
  // Which table an empty text belongs to cannot be told from the index.
  if (!isText(members) || members === '') return undefined
  return OF_MAILING.test(members) ? 'mailing' : 'circumstance'
}

function sharedText(
  table: 'mailing' | 'circumstance' | undefined,
  key: number,
  members: SqlValue | undefined,
): DayRow | undefined {
  return table && isText(members) && toObject(members) ? { table, key, members } : undefined
}

/** The fields of JSON members such as `,"a":1`; undefined if they are none. */
export function toObject(members: string): Readonly<Record<string, unknown>> | undefined {
  if (members === '') return {}
  if (!members.startsWith(',"')) return undefined
  try {
    return JSON.parse(`{${members.slice(1)}}`) as Readonly<Record<string, unknown>>
  } catch {
    return undefined
  }
}

function isText(value: SqlValue | undefined): value is string {
  return typeof value === 'string'
}

function isTextOrNull(value: SqlValue | undefined): value is string | null {
  return value === null || typeof value === 'string'
}

function isCount(value: SqlValue | undefined): value is number {
  return typeof value === 'number' && value >= 0
}
