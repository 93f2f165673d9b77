/**
 * The reading side of the texts that many rows of a day refer to: read once and remembered, so that a page need not look up the
 * same few for every row. Rows of that kind never change.
 */
import type { Database } from '../database.ts'

/** Rows remembered of each kind; most days have fewer. */
const REMEMBERED_MAX = 5000

export class RememberedTexts {
  readonly #db: Database
  readonly #circumstances = new Map<number, string>()
  readonly #mailings = new Map<number, string>()

  constructor(db: Database) {
    this.#db = db
  }

  /** JSON members, each with a comma before it. */
  circumstance(key: number): string {
    return this.#circumstances.get(key) ?? this.#read(this.#circumstances, 'circumstance', key)
  }

  mailing(key: number): string {
    return this.#mailings.get(key) ?? this.#read(this.#mailings, 'mailing', key)
  }

  #read(remembered: Map<number, string>, table: 'circumstance' | 'mailing', key: number): string {
    const row = this.#db.get<{ members: string }>(`SELECT members FROM ${table} WHERE key = ?`, key)
    if (!row) throw new Error(`no ${table} has the key ${key} (${this.#db.path})`)
    if (remembered.size >= REMEMBERED_MAX) remembered.clear()
    remembered.set(key, row.members)
    return row.members
  }
}
