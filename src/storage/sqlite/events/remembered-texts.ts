/**
 * The reading side of the texts that many rows of a day refer to: read once and remembered, so that a page need not look up the
 * same few for every row. Rows of that kind never change.
 */
import { Recent } from '../../../lib/recent.ts'
import type { Database } from '../database.ts'

/** Rows remembered of each kind; most days have fewer. */
const REMEMBERED_MAX = 5000

export class RememberedTexts {
  readonly #db: Database
  readonly #circumstances = new Recent<string, number>(REMEMBERED_MAX)
  readonly #mailings = new Recent<string, number>(REMEMBERED_MAX)

  constructor(db: Database) {
    this.#db = db
  }

  /** JSON members, each with a comma before it. */
  circumstance(key: number): string {
    return this.#circumstances.find(key) ?? this.#read(this.#circumstances, 'circumstance', key)
  }

  mailing(key: number): string {
    return this.#mailings.find(key) ?? this.#read(this.#mailings, 'mailing', key)
  }

  #read(remembered: Recent<string, number>, table: 'circumstance' | 'mailing', key: number): string {
    const row = this.#db.get<{ members: string }>(`SELECT members FROM ${table} WHERE key = ?`, key)
    if (!row) throw new Error(`no ${table} has the key ${key} (${this.#db.path})`)
    remembered.keep(key, row.members)
    return row.members
  }
}
