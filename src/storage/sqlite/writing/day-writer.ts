/** Writes one day's file. Everything between begin and commit becomes durable together: events, messages, counts. */
import type { Database } from '../database/database.ts'
import { rewriteHeader } from '../database/rewrite-header.ts'
import { isStorageFailure } from '../database/storage-failure.ts'
import { ArrivalBatch } from '../days/arrival-batch.ts'
import { CountedOrigins } from '../days/counted-origins.ts'
import { type Day, toPosition } from '../days/day.ts'
import type { DayCommit } from '../days/day-commit.ts'
import { idHashOf } from '../days/message-identity.ts'
import { MessageIds } from '../days/message-ids.ts'
import { DOMAIN_OF_MESSAGE, NUMBER_OF_MESSAGE, toMessageKey } from '../days/message-key.ts'
import { CODES, UNINDEXED_CODE } from '../days/stored-codes.ts'
import type { DomainClaims } from '../manifest/domain-claims.ts'
import { TextIndex } from '../text-index/text-index.ts'
import type { EventRow } from './event-row.ts'
import { SharedTexts } from './shared-texts.ts'

const FIND_MESSAGE = `
  SELECT ${NUMBER_OF_MESSAGE} AS number FROM message m
  WHERE identity = ? AND id = ? AND recipient = ? AND sender IS ? AND subject IS ?
    AND service_message_id IS ? AND size IS ? AND mailing = ? AND ${DOMAIN_OF_MESSAGE} = ?`

const INSERT_MESSAGE = `
  INSERT INTO message (identity, id, recipient, sender, subject, service_message_id, size, mailing, key, plain)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** The unique index on (message, key) makes a repeated event a no-op. */
const INSERT_EVENT = `
  INSERT INTO event (domain, position, type, response_code, message, content, circumstance, key, origin, retry_after)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (message, key) DO NOTHING`

/** Whether the row with the key is the event itself, or another one with the same hash. */
const IS_STORED = `
  SELECT 1 FROM event
  WHERE message = ? AND key = ? AND position >> 32 = ? AND type = ? AND response_code IS ? AND content IS ?
    AND circumstance = ?`

const ADD_TO_COUNTER = `
  INSERT INTO counter (domain, type, count, changed_at_ms) VALUES (?, ?, ?, ?)
  ON CONFLICT (domain, type) DO UPDATE SET count = count + excluded.count, changed_at_ms = excluded.changed_at_ms`

const ADD_TO_HOUR = `
  INSERT INTO event_per_hour (domain, hour, type, provider, classification, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (domain, hour, type, provider, classification) DO UPDATE SET count = count + excluded.count`

const ADD_TO_SENDING = `
  INSERT INTO sending_per_hour (domain, origin, hour, type, provider, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (domain, origin, hour, type, provider) DO UPDATE SET count = count + excluded.count`

/** Never earlier than the batch before: a client that resumes from a time finds everything that came after it. */
const INSERT_BATCH = `
  INSERT INTO arrival_batch (first, stored_at_ms, events)
  VALUES (?, max(?, ifnull((SELECT stored_at_ms FROM arrival_batch ORDER BY first DESC LIMIT 1), 0)), ?)`

const READ_DAY = 'SELECT arrival, message, indexed, closed FROM day'
const UPDATE_DAY = 'UPDATE day SET arrival = ?, message = ?, indexed = ?'

/** A day without a commit for this long is idle. */
const IDLE_MS = 5000
/** How long closing waits for readers; all writing waits as long. */
const CLOSE_WAIT_MS = 100
/** A day with more messages has no filter of their ids: it would take too much memory, and too long to load. */
const IDS_MAX = 500_000

export type WriteOutcome = 'stored' | 'duplicate' | 'expired'

type Counts = Map<number, [domain: number, kind: number, count: number]>

interface HourEntry {
  readonly row: EventRow
  count: number
  /** How many of them were sent from each origin. */
  origins?: Map<number, number>
}

/** What a transaction has stored so far. */
function startBatch(firstArrival: number) {
  return {
    firstArrival,
    arrivals: new ArrivalBatch(),
    hours: new Map<string, HourEntry>(),
    codes: new Map() as Counts,
    newIds: [] as number[],
    /** Most batches have several events of a message, next to each other. */
    messages: new Map<string, { readonly number: number; readonly row: EventRow }>(),
  }
}

export class DayWriter {
  readonly day: Day
  readonly #db: Database
  readonly #texts: SharedTexts
  readonly #origins: CountedOrigins
  readonly #index: TextIndex
  readonly #claims: DomainClaims | undefined
  #arrival = 0
  #isClosed = false
  #message = 0
  #batch = startBatch(0)
  /** Of all messages of the day; null for a day with too many to keep. */
  #messageIds: MessageIds | null | undefined
  #committedMs = Number.NEGATIVE_INFINITY
  /** Nothing is left to do until the next commit. */
  #isSettled = true

  /** `claims`: which domain each number means; a file without them is of use to tests only. */
  constructor(day: Day, db: Database, claims?: DomainClaims) {
    this.day = day
    this.#db = db
    this.#claims = claims
    this.#texts = new SharedTexts(db)
    this.#origins = new CountedOrigins(db)
    this.#index = new TextIndex(db)
  }

  /** The number of the last event that was written. */
  get arrival(): number {
    return this.#arrival
  }

  begin(): void {
    this.#db.execute('BEGIN IMMEDIATE')
    const [arrival, message, indexed, closed] = this.#db.allArrays<[number, number, number, number]>(READ_DAY)[0] ?? [
      0, 0, 0, 0,
    ]
    // Another connection has written since: its messages are not in the filter.
    if (arrival !== this.#arrival) this.#messageIds = undefined
    this.#arrival = arrival
    this.#batch = startBatch(arrival)
    this.#isClosed = closed === 1
    this.#message = message
    this.#index.begin({ message, indexed })
  }

  write(row: EventRow): WriteOutcome {
    if (this.#isClosed) return 'expired'
    const message = this.#findOrAddMessage(row)
    const circumstance = this.#texts.findOrAddCircumstance(row.circumstance)
    const origin = row.origin === '' ? null : this.#texts.findOrAddOrigin(row.origin)
    const position = toPosition(row.secondOfDay, this.#arrival + 1)
    const { domain, secondOfDay, type, responseCode, content, retryAfter } = row
    for (let key = row.key; ; key++) {
      const values = [domain, position, type, responseCode, message, content, circumstance, key, origin, retryAfter]
      if (this.#db.run(INSERT_EVENT, ...values).changes > 0) break
      const same = this.#db.get(IS_STORED, message, key, secondOfDay, type, responseCode, content, circumstance)
      if (same) return 'duplicate'
    }
    this.#arrival += 1
    this.#batch.arrivals.add(row.secondOfDay, row.domain)
    this.#count(row, origin)
    return 'stored'
  }

  /** Writes everything that remains before the commit; returns what it will add. `stampMs`: a time that never goes back. */
  finish(nowMs: number, stampMs = nowMs): DayCommit {
    const { firstArrival, arrivals, codes, newIds } = this.#batch
    const counts = this.#writeCounts(nowMs)
    if (!arrivals.isEmpty) this.#db.run(INSERT_BATCH, firstArrival + 1, stampMs, arrivals.toBytes())
    if (!this.#isClosed) this.#db.run(UPDATE_DAY, this.#arrival, this.#message, this.#index.finish())
    return {
      day: this.day,
      arrivalBefore: firstArrival,
      arrival: this.#arrival,
      counts: [...counts.values()],
      codes: [...codes.values()],
      messageIds: newIds,
      committedAtMs: nowMs,
      storedAtMs: stampMs,
    }
  }

  /** The size of the transaction; a message that goes into the text index counts as a row. */
  pending(): { readonly rows: number; readonly pages: number } {
    const rows = this.#arrival - this.#batch.firstArrival + this.#index.written
    return { rows, pages: this.#db.number('PRAGMA page_count') }
  }

  commit(): void {
    this.#db.execute('COMMIT')
    this.#committedMs = performance.now()
    this.#isSettled = false
  }

  /**
   * Does a step of compaction if the day is idle. Returns the milliseconds until the next step; undefined when there is nothing
   * to do.
   */
  compact(nowMs: number): number | undefined {
    if (this.#isSettled) return undefined
    const waitMs = this.#committedMs + IDLE_MS - nowMs
    if (waitMs > 0) return waitMs
    // A step that fails is not repeated before the next commit.
    this.#isSettled = true
    if (!this.#index.isCompacted) this.#index.compact()
    this.#isSettled = this.#index.isCompacted
    if (!this.#isSettled) return 0
    // The pages of a day that was filled take as much memory as all others together.
    this.#db.execute('PRAGMA shrink_memory')
    return undefined
  }

  rollback(): void {
    this.#texts.forget()
    this.#origins.forget()
    this.#index.forget()
    this.#claims?.forget()
    this.#messageIds = undefined
    if (this.#db.isInTransaction) this.#db.execute('ROLLBACK')
  }

  /** Runs a step that removes rows, in a transaction. */
  erase<T>(work: (db: Database) => T): T {
    // With the tail in the index, what is known about it can be forgotten, and nothing of it comes back.
    this.#index.settle()
    try {
      return this.#db.transaction(() => work(this.#db))
    } finally {
      this.#origins.forget()
      this.#index.forget()
    }
  }

  /** Whether no compaction is pending. */
  get isCompacted(): boolean {
    return this.#index.isCompacted
  }

  /** For a day whose file was closed with compaction pending. */
  resumeCompaction(): void {
    this.#index.countLooseRows()
    this.#isSettled = false
  }

  /**
   * Checkpoints first: while a reader has the file open, closing alone would leave the WAL beside it. A backup reads for minutes:
   * then the WAL stays until the day is next written.
   */
  close(): void {
    unlessStorageFails(() => this.#index.settle())
    unlessStorageFails(() =>
      this.#db.execute(`PRAGMA busy_timeout = ${CLOSE_WAIT_MS}; PRAGMA wal_checkpoint(TRUNCATE)`),
    )
    this.discard()
  }

  /** Closes a file that is damaged: what is left of it must not change. */
  discard(): void {
    unlessStorageFails(() => this.#db.close())
  }

  /** Throws if the file cannot be written. */
  probe(): void {
    rewriteHeader(this.#db)
  }

  #findOrAddMessage(row: EventRow): number {
    const handle = `${row.domain} ${row.identity} ${row.id}`
    const known = this.#batch.messages.get(handle)
    if (known && isSameMessage(known.row, row)) return known.number
    const { domain, id, identity, recipient, sender, subject, serviceMessageId, size } = row
    const mailing = this.#texts.findOrAddMailing(row.from, row.mailing)
    const values = [identity, id, recipient, sender, subject, serviceMessageId, size, mailing]
    const found = this.#mayHave(identity)
      ? this.#db.get<{ number: number }>(FIND_MESSAGE, ...values, domain)
      : undefined
    const number = found?.number ?? ++this.#message
    if (!found) {
      const key = toMessageKey(domain, number)
      this.#db.run(INSERT_MESSAGE, ...values, key, isComplete(row) ? 3 : row.plain)
      this.#index.add(key, row)
      this.#batch.newIds.push(idHashOf(identity))
      if (this.#messageIds?.learn([idHashOf(identity)]) === false) this.#messageIds = undefined
    }
    this.#batch.messages.set(handle, { number, row })
    return number
  }

  /** Most messages are new, which the filter knows without a look-up. */
  #mayHave(identity: number): boolean {
    if (this.#messageIds === undefined) this.#messageIds = this.#message > IDS_MAX ? null : this.#loadMessageIds()
    return this.#messageIds === null || this.#messageIds.mayHave(idHashOf(identity))
  }

  #loadMessageIds(): MessageIds {
    const ids = new MessageIds(this.#message)
    for (const _ of ids.load(this.#db));
    return ids
  }

  #count(row: EventRow, origin: number | null): void {
    const { hours, codes } = this.#batch
    const name = `${row.domain} ${hourOf(row)} ${row.type} ${row.provider.length} ${row.provider}${row.classification}`
    let entry = hours.get(name)
    if (!entry) {
      entry = { row, count: 0 }
      hours.set(name, entry)
    }
    entry.count++
    if (origin !== null) {
      entry.origins ??= new Map()
      entry.origins.set(origin, (entry.origins.get(origin) ?? 0) + 1)
    }
    if (row.responseCode !== null && row.responseCode !== UNINDEXED_CODE) add(codes, row.domain, row.responseCode, 1)
  }

  #writeCounts(nowMs: number): Counts {
    const totals: Counts = new Map()
    for (const { row, count, origins = [] } of this.#batch.hours.values()) {
      this.#db.run(ADD_TO_HOUR, row.domain, hourOf(row), row.type, row.provider, row.classification, count)
      for (const [origin, ofOrigin] of origins) {
        const counted = this.#origins.choose(row.domain, origin)
        this.#db.run(ADD_TO_SENDING, row.domain, counted, hourOf(row), row.type, row.provider, ofOrigin)
      }
      add(totals, row.domain, row.type, count)
    }
    for (const total of totals.values()) {
      this.#db.run(ADD_TO_COUNTER, ...total, nowMs)
      this.#claims?.note(total[0])
    }
    return totals
  }
}

function hourOf({ secondOfDay }: EventRow): number {
  return Math.floor(secondOfDay / 3600)
}

/** `kind`: a type or a code. */
function add(counts: Counts, domain: number, kind: number, count: number): void {
  const key = domain * CODES + kind
  const entry = counts.get(key)
  if (entry) entry[2] += count
  else counts.set(key, [domain, kind, count])
}

/** For work whose failure changes no answer. */
function unlessStorageFails(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!isStorageFailure(error)) throw error
  }
}

/** No field is missing and none needs escaping: such a message is written as JSON in the least time. */
function isComplete({ plain, sender, subject, serviceMessageId, size }: EventRow): boolean {
  return plain === 2 && sender !== null && subject !== null && serviceMessageId !== null && size !== null
}

/** The identity is a hash: rare as it is, equal hashes of different messages must not make them one. `from` is a part of `mailing`. */
function isSameMessage(a: EventRow, b: EventRow): boolean {
  return (
    a.recipient === b.recipient &&
    a.sender === b.sender &&
    a.subject === b.subject &&
    a.serviceMessageId === b.serviceMessageId &&
    a.size === b.size &&
    a.mailing === b.mailing
  )
}
