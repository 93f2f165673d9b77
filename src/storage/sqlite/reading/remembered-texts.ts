/**
 * The reading side of the texts that many rows of a day share: read once and remembered, so that a page does not look up the
 * same few for every row. Such rows never change, but are removed with the last event that uses them.
 */
import { Recent } from '../../../lib/recent.ts'
import { originMembers } from '../../rows/origin-text.ts'
import type { Database } from '../database/database.ts'
import { splitEndingKey } from '../days/ending-key.ts'

/** Rows remembered of each kind; most days have fewer. */
const REMEMBERED_MAX = 5000

export class RememberedTexts {
  readonly #db: Database
  readonly #circumstances = new Recent<string, number>(REMEMBERED_MAX)
  readonly #mailings = new Recent<string, number>(REMEMBERED_MAX)
  readonly #endings = new Recent<string, number>(REMEMBERED_MAX)
  readonly #origins = new Recent<string, number>(REMEMBERED_MAX)

  constructor(db: Database) {
    this.#db = db
  }

  /** The end of an event's JSON: members, each with a comma before it, and the brace. */
  ending(endingKey: number): string {
    let ending = this.#endings.find(endingKey)
    if (ending === undefined) {
      const { circumstance, mailing } = splitEndingKey(endingKey)
      const members = this.#find(this.#circumstances, 'circumstance', circumstance)
      ending = `${members}${this.#find(this.#mailings, 'mailing', mailing)}}`
      this.#endings.keep(endingKey, ending)
    }
    return ending
  }

  /** Where a message was sent from, as members. */
  origin(key: number): string {
    return this.#origins.findOrKeep(key, () => {
      const row = this.#db.get<Record<'address' | 'source' | 'pool', string>>(
        'SELECT address, source, pool FROM origin WHERE key = ?',
        key,
      )
      if (!row) throw new Error(`no origin has the key ${key} (${this.#db.path})`)
      return originMembers(row.address, row.source, row.pool)
    })
  }

  clear(): void {
    for (const remembered of [this.#circumstances, this.#mailings, this.#endings, this.#origins]) remembered.clear()
  }

  #find(remembered: Recent<string, number>, table: 'circumstance' | 'mailing', key: number): string {
    const found = remembered.find(key)
    if (found !== undefined) return found
    const row = this.#db.get<{ members: string }>(`SELECT members FROM ${table} WHERE key = ?`, key)
    if (!row) throw new Error(`no ${table} has the key ${key} (${this.#db.path})`)
    remembered.keep(key, row.members)
    return row.members
  }
}
