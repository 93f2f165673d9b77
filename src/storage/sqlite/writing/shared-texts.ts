/** The texts that many rows of a day share: found or added, and remembered. */
import { Recent } from '../../../lib/recent.ts'
import { splitOriginText } from '../../rows/origin-text.ts'
import type { Database } from '../database/database.ts'
import { requireEndingPart } from '../days/ending-key.ts'

/** Rows remembered of each kind; most days have fewer. */
const REMEMBERED_MAX = 20_000

export class SharedTexts {
  readonly #db: Database
  readonly #circumstances = new Recent<number>(REMEMBERED_MAX)
  readonly #mailings = new Recent<number>(REMEMBERED_MAX)
  readonly #origins = new Recent<number>(REMEMBERED_MAX)

  constructor(db: Database) {
    this.#db = db
  }

  findOrAddCircumstance(members: string): number {
    return this.#circumstances.findOrKeep(members, () =>
      this.#findOrAdd('circumstance', members, 'INSERT INTO circumstance (members) VALUES (?)'),
    )
  }

  /** `from` is one of the members, too. */
  findOrAddMailing(from: string | null, members: string): number {
    return this.#mailings.findOrKeep(members, () =>
      this.#findOrAdd('mailing', members, 'INSERT INTO mailing (members, header_from) VALUES (?, ?)', from),
    )
  }

  /** `text`: origin-text.ts. */
  findOrAddOrigin(text: string): number {
    return this.#origins.findOrKeep(text, () => {
      const parts = splitOriginText(text)
      const found = this.#db.number('SELECT key FROM origin WHERE address = ? AND source = ? AND pool = ?', ...parts)
      return (
        found || this.#db.run('INSERT INTO origin (address, source, pool) VALUES (?, ?, ?)', ...parts).lastInsertRowid
      )
    })
  }

  #findOrAdd(table: 'circumstance' | 'mailing', members: string, insert: string, ...more: (string | null)[]): number {
    const found = this.#db.number(`SELECT key FROM ${table} WHERE members = ?`, members)
    return requireEndingPart(found || this.#db.run(insert, members, ...more).lastInsertRowid)
  }

  /** After a rollback: rows that were added are gone. */
  forget(): void {
    this.#circumstances.clear()
    this.#mailings.clear()
    this.#origins.clear()
  }
}
