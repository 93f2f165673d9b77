/** The texts that many rows of a day share: found or added, and remembered. */
import type { Database } from '../database/database.ts'
import { requireEndingPart } from '../days/ending-key.ts'

/** Rows remembered of each kind; most days have fewer. */
const REMEMBERED_MAX = 20_000

export class SharedTexts {
  readonly #db: Database
  readonly #circumstances = new Map<string, number>()
  readonly #mailings = new Map<string, number>()

  constructor(db: Database) {
    this.#db = db
  }

  findOrAddCircumstance(members: string): number {
    return remember(this.#circumstances, members, () => {
      const found = this.#db.get<{ key: number }>('SELECT key FROM circumstance WHERE members = ?', members)
      return found?.key ?? this.#db.run('INSERT INTO circumstance (members) VALUES (?)', members).lastInsertRowid
    })
  }

  /** `from` is one of the members, too. */
  findOrAddMailing(from: string | null, members: string): number {
    return remember(this.#mailings, members, () => {
      const found = this.#db.get<{ key: number }>('SELECT key FROM mailing WHERE members = ?', members)
      return (
        found?.key ??
        this.#db.run('INSERT INTO mailing (members, header_from) VALUES (?, ?)', members, from).lastInsertRowid
      )
    })
  }

  /** After a rollback: rows that were added are gone. */
  forget(): void {
    this.#circumstances.clear()
    this.#mailings.clear()
  }
}

function remember(keys: Map<string, number>, name: string, find: () => number): number {
  const known = keys.get(name)
  if (known !== undefined) return known
  if (keys.size >= REMEMBERED_MAX) keys.clear()
  const key = requireEndingPart(find())
  keys.set(name, key)
  return key
}
