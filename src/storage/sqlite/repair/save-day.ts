/**
 * Saves what can be read of a damaged day into a new file, row by row from its pages. Rows are checked against the hashes that are
 * stored with them, so that none is saved with a content that it did not have; counts and indexes are computed again.
 */
import { Recent } from '../../../lib/recent.ts'
import type { Database } from '../database/database.ts'
import { fromPosition } from '../days/day.ts'
import { numberOfMessageKey, toMessageKey } from '../days/message-key.ts'
import { isStoredEvent, isStoredMessage } from '../days/row-hashes.ts'
import type { DayIdentity, DomainClaim } from '../manifest/domain-claims.ts'
import { readRows } from './cells.ts'
import type { DatabasePages } from './database-pages.ts'
import { type DayRow, type MessageRow, recognize, type SavedEvent, toObject } from './day-rows.ts'
import { SavedArrivals } from './saved-arrivals.ts'

const ROWS_PER_TRANSACTION = 20_000
const TEXTS_KEPT = 20_000
/** In the table and its four indexes. */
const BYTES_PER_EVENT_MIN = 16

export interface SavedDay {
  readonly events: number
  readonly arrivals: SavedArrivals
  readonly closed: number
  /** The number of the last message. */
  readonly message: number
  /** What the file says about itself. */
  readonly identities: readonly DayIdentity[]
  /** When each counter last changed, by domain and type. */
  readonly changes: readonly (readonly [domain: number, type: number, changedAtMs: number])[]
  /** Pages that may have had rows, and cannot be read at all or only in part. */
  readonly damagedPages: number
}

type Table = DayRow['table']

const SHARED: ReadonlySet<Exclude<Table, 'message' | 'event'>> = new Set([
  ...(['mailing', 'circumstance', 'arrival_batch', 'counter', 'day'] as const),
  ...(['identity', 'domain_claim', 'origin'] as const),
])
const MESSAGES: ReadonlySet<'message'> = new Set(['message'])
const EVENTS: ReadonlySet<'event'> = new Set(['event'])

/** `onPages`: how many pages were read, of how many. `onMessages`: all messages are there, and no event yet. */
export function saveDay(
  pages: DatabasePages,
  db: Database,
  onPages: (read: number, all: number) => void,
  onMessages: () => void,
): SavedDay {
  const free = pages.listFree()
  const arrivals = new SavedArrivals()
  /** The file has no room for more: a larger number is a damaged one. */
  const arrivalsMax = Math.ceil((pages.count * pages.usableBytes) / BYTES_PER_EVENT_MIN)
  const changes: [number, number, number][] = []
  const identities: DayIdentity[] = []
  let closed = 0
  let message = 0
  let damagedPages = 0
  let read = 0

  function scan<Wanted extends Table>(
    wanted: ReadonlySet<Wanted>,
    keep: (row: DayRow & { readonly table: Wanted }) => void,
  ): void {
    const isWanted = (row: DayRow): row is DayRow & { readonly table: Wanted } =>
      (wanted as ReadonlySet<Table>).has(row.table)
    const isLast = (wanted as ReadonlySet<Table>).has('event')
    let inTransaction = 0
    const keepAll = (number: number, content: Buffer) => {
      const { rows, unreadable, isTree } = readRows(pages, number, content)
      if (isLast && (unreadable > 0 || (!isTree && looksDamaged(content)))) damagedPages++
      for (const row of rows) {
        const found = recognize(row)
        if (found && isWanted(found)) keep(found)
      }
      inTransaction += rows.length
      if (inTransaction < ROWS_PER_TRANSACTION) return
      db.execute('COMMIT; BEGIN')
      inTransaction = 0
    }
    db.execute('BEGIN')
    for (const { number, content } of pages.suspects) keepAll(number, content)
    for (let number = 1; number <= pages.count; number++) {
      if (++read % 1000 === 0) onPages(read, pages.count * 3)
      if (free.has(number)) continue
      const content = pages.read(number)
      if (content) keepAll(number, content)
      else if (isLast) damagedPages++
    }
    db.execute('COMMIT')
  }

  scan(SHARED, (row) => {
    if (row.table === 'mailing' || row.table === 'circumstance') addShared(db, row)
    else if (row.table === 'origin') addOrigin(db, row.key, row.parts)
    else if (row.table === 'arrival_batch') arrivals.addBatch(row)
    else if (row.table === 'identity') identities.push(row.identity)
    else if (row.table === 'domain_claim') addClaim(db, row.claim)
    else if (row.table === 'counter') changes.push([row.domain, row.type, row.changedAtMs])
    else if (row.table === 'day') {
      arrivals.last = Math.max(arrivals.last, Math.min(row.arrival, arrivalsMax))
      message = Math.max(message, row.message)
      closed = row.closed
    }
  })
  const mailings = new SharedTexts(db, 'mailing')
  scan(MESSAGES, ({ message: found }) => {
    const mailing = mailings.find(found.mailing)
    if (mailing === undefined || !isStoredMessage(found, mailing)) return
    addMessage(db, found)
    message = Math.max(message, numberOfMessageKey(found.key))
  })
  onMessages()
  const circumstances = new SharedTexts(db, 'circumstance')
  let events = 0
  scan(EVENTS, ({ event }) => {
    if (fromPosition(event.position).arrival > arrivalsMax) return
    const circumstance = circumstances.find(event.circumstance)
    if (circumstance === undefined || !isStoredEvent(event, circumstance) || !hasMessage(db, event)) return
    if (!addEvent(db, event)) return
    events++
    arrivals.addEvent(event)
  })
  return { events, arrivals, closed, message, identities, changes, damagedPages }
}

/** Unused parts of a file are zeros; the rest of a long row is not of a tree either, but it is text. */
function looksDamaged(page: Buffer): boolean {
  return page.some((byte) => byte !== 0) && !/^[\x20-\x7e]{64}/.test(page.toString('latin1', 4, 68))
}

function addShared(
  db: Database,
  { table, key, members }: DayRow & { readonly table: 'mailing' | 'circumstance' },
): void {
  if (table === 'circumstance') {
    db.run('INSERT OR IGNORE INTO circumstance (key, members) VALUES (?, ?)', key, members)
    return
  }
  const { from } = toObject(members) ?? {}
  const values = [key, typeof from === 'string' ? from : null, members]
  db.run('INSERT OR IGNORE INTO mailing (key, header_from, members) VALUES (?, ?, ?)', ...values)
}

function addOrigin(db: Database, key: number, parts: readonly string[]): void {
  db.run('INSERT OR IGNORE INTO origin (key, address, source, pool) VALUES (?, ?, ?, ?)', key, ...parts)
}

function addClaim(db: Database, { number, id, name }: DomainClaim): void {
  db.run('INSERT OR IGNORE INTO domain_claim (number, id, name) VALUES (?, ?, ?)', number, id, name)
}

function addMessage(db: Database, message: MessageRow): void {
  const { key, id, recipient, sender, subject, serviceMessageId, size, mailing, plain, identity } = message
  db.run(
    `INSERT OR IGNORE INTO message (key, id, recipient, sender, subject, service_message_id, size, mailing, plain, identity)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key,
    id,
    recipient,
    sender,
    subject,
    serviceMessageId,
    size,
    mailing,
    plain,
    identity,
  )
}

function addEvent(db: Database, event: SavedEvent): boolean {
  const { domain, position, type, responseCode, message, content, circumstance, key, origin, retryAfter } = event
  const { changes } = db.run(
    `INSERT OR IGNORE INTO event
       (domain, position, type, response_code, message, content, circumstance, key, origin, retry_after)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT key FROM origin WHERE key = ?), ?)`,
    domain,
    position,
    type,
    responseCode,
    message,
    content,
    circumstance,
    key,
    // Null if its row is lost: the event itself is more important.
    origin,
    retryAfter,
  )
  return changes > 0
}

function hasMessage(db: Database, { domain, message }: SavedEvent): boolean {
  return db.get('SELECT 1 FROM message WHERE key = ?', toMessageKey(domain, message)) !== undefined
}

/** Texts that many rows share. */
class SharedTexts {
  readonly #db: Database
  readonly #sql: string
  readonly #known = new Recent<string, number>(TEXTS_KEPT)

  constructor(db: Database, table: 'mailing' | 'circumstance') {
    this.#db = db
    this.#sql = `SELECT members FROM ${table} WHERE key = ?`
  }

  find(key: number): string | undefined {
    const known = this.#known.find(key)
    if (known !== undefined) return known
    const members = this.#db.get<{ members: string }>(this.#sql, key)?.members
    if (members !== undefined) this.#known.keep(key, members)
    return members
  }
}
