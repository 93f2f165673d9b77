/**
 * Removes events of a day, with their messages and the entries of the text index, in bounded steps: each is a transaction of the
 * writing thread, and ingest takes turns with them.
 */
import type { Database } from '../database/database.ts'
import { numberOfMessageKey, toMessageKey } from '../days/message-key.ts'
import { removeSignature } from '../text-index/remove-signature.ts'
import { addErased, type ErasedCount, removeErased } from './erased-counts.ts'

/** Some milliseconds. */
const ROWS_PER_STEP = 500
/** Each of them has up to 512 signatures. */
const SIGNATURE_ROWS_PER_STEP = 50

/** What is to be removed of one day. */
export type DayErasure =
  /** Keys of messages, whose events go with them. Their counts stay. */
  | { readonly messages: readonly number[]; readonly domains?: never }
  /** Everything of these domains; with `keepsCounts`, all but the counts. */
  | { readonly domains: readonly number[]; readonly keepsCounts: boolean; readonly messages?: never }

export interface ErasedStep {
  /** Events. */
  readonly removed: number
  /** Rows of all tables. */
  readonly rows: number
  /** Whether nothing is left of what was to be removed. */
  readonly isDone: boolean
}

/** To be called in a transaction. */
export function eraseRows(db: Database, erasure: DayErasure): ErasedStep {
  // Deleted content is overwritten at once; what pages still have in their gaps goes when the day is rewritten.
  db.execute('PRAGMA secure_delete = ON')
  const step = new Step(db)
  const isDone = erasure.messages
    ? erasure.messages.every((key) => step.removeMessage(key))
    : erasure.domains.every((domain) => step.removeDomain(domain, erasure.keepsCounts))
  step.finish()
  return { removed: step.removed, rows: step.rows, isDone }
}

type EventKey = [domain: number, position: number]
type RemovedEvent = Pick<ErasedCount, 'type' | 'circumstance' | 'origin'>

const EVENTS_OF_MESSAGE =
  'SELECT domain, position FROM event INDEXED BY event_of_message WHERE message = ? LIMIT CAST(? AS INTEGER)'
const EVENTS_OF_DOMAIN = 'SELECT domain, position FROM event WHERE domain = ? LIMIT CAST(? AS INTEGER)'
const DELETE_EVENT = 'DELETE FROM event WHERE domain = ? AND position = ? RETURNING type, circumstance, origin'
const DELETE_MESSAGES = `
  DELETE FROM message WHERE key IN (SELECT key FROM message WHERE key >= ? AND key < ? LIMIT CAST(? AS INTEGER))`
const DELETE_SIGNATURES = `
  DELETE FROM message_signature
  WHERE key IN (SELECT key FROM message_signature WHERE key >= ? AND key < ? LIMIT ${SIGNATURE_ROWS_PER_STEP})`
/** Providers and classes are what senders write: there may be very many. */
const DELETE_HOURS = `
  DELETE FROM event_per_hour WHERE (domain, hour, type, provider, classification) IN (
    SELECT domain, hour, type, provider, classification FROM event_per_hour WHERE domain = ? LIMIT CAST(? AS INTEGER))`

const DELETE_SENDING = `
  DELETE FROM sending_per_hour WHERE (domain, origin, hour, type, provider) IN (
    SELECT domain, origin, hour, type, provider FROM sending_per_hour WHERE domain = ? LIMIT CAST(? AS INTEGER))`

class Step {
  readonly #db: Database
  /** Rows that this step may still remove; never less than none. */
  #room = ROWS_PER_STEP
  readonly #counts = new Map<string, ErasedCount>()
  removed = 0

  constructor(db: Database) {
    this.#db = db
  }

  get rows(): number {
    return ROWS_PER_STEP - this.#room
  }

  /** False if the step has no room for the rest of it. */
  removeMessage(key: number): boolean {
    this.#removeEvents(EVENTS_OF_MESSAGE, numberOfMessageKey(key), true)
    if (this.#room === 0) return false
    removeSignature(this.#db, key)
    this.#room -= this.#db.run('DELETE FROM message WHERE key = ?', key).changes
    return true
  }

  removeDomain(domain: number, keepsCounts: boolean): boolean {
    this.#removeEvents(EVENTS_OF_DOMAIN, domain, keepsCounts)
    const range = [toMessageKey(domain, 0), toMessageKey(domain + 1, 0)] as const
    this.#room -= this.#db.run(DELETE_MESSAGES, ...range, this.#room).changes
    if (this.#room === 0) return false
    if (this.#db.run(DELETE_SIGNATURES, ...range).changes === SIGNATURE_ROWS_PER_STEP) {
      // As much work as all the rows of a step.
      this.#room = 0
      return false
    }
    if (keepsCounts) return true
    this.#room -= this.#db.run(DELETE_HOURS, domain, this.#room).changes
    this.#room -= this.#db.run(DELETE_SENDING, domain, this.#room).changes
    if (this.#room === 0) return false
    // One row per event type.
    this.#room = Math.max(0, this.#room - this.#db.run('DELETE FROM counter WHERE domain = ?', domain).changes)
    removeErased(this.#db, domain)
    return true
  }

  finish(): void {
    addErased(this.#db, [...this.#counts.values()])
  }

  #removeEvents(sql: string, of: number, keepsCounts: boolean): void {
    const events = this.#db.allArrays<EventKey>(sql, of, this.#room)
    for (const [domain, position] of events) {
      const removed = this.#db.get<RemovedEvent>(DELETE_EVENT, domain, position)
      if (removed && keepsCounts) this.#count(domain, position, removed)
    }
    this.#room -= events.length
    this.removed += events.length
  }

  #count(domain: number, position: number, { type, circumstance, origin }: RemovedEvent): void {
    const hour = Math.floor(position / 2 ** 32 / 3600)
    const key = [domain, hour, type, circumstance, origin].join(' ')
    const entry = this.#counts.get(key) ?? { domain, hour, type, circumstance, origin, count: 0 }
    entry.count++
    this.#counts.set(key, entry)
  }
}
