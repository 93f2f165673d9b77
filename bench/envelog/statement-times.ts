/** Number and duration of the statements of each kind, measured where the adapter passes them to SQLite. */
import { Database } from '../../src/storage/sqlite/database/database.ts'

export interface StatementTime {
  readonly kind: string
  readonly calls: number
  readonly ms: number
}

type Method = (this: Database, sql: string, ...values: never[]) => unknown

const METHODS = ['run', 'get', 'all', 'allArrays', 'execute'] as const

export class StatementTimes {
  readonly #times = new Map<string, { calls: number; ms: number }>()
  /** Cached by text: determining the kind takes longer than many statements. */
  readonly #kinds = new Map<string, string>()

  /** For all databases of this thread. */
  start(): void {
    const prototype = Database.prototype as unknown as Record<string, Method>
    for (const name of METHODS) {
      const method = prototype[name]
      if (!method) throw new Error(`the adapter has no method ${name}`)
      const add = (sql: string, ms: number) => this.#add(sql, ms)
      prototype[name] = function (this: Database, sql, ...values) {
        const started = performance.now()
        try {
          return method.call(this, sql, ...values)
        } finally {
          add(sql, performance.now() - started)
        }
      }
    }
  }

  /** Statements since the last call, the most expensive kind first. */
  take(): readonly StatementTime[] {
    const times = [...this.#times].map(([kind, time]) => ({ kind, ...time }))
    this.#times.clear()
    return times.sort((a, b) => b.ms - a.ms)
  }

  #add(sql: string, ms: number): void {
    const kind = this.#kinds.get(sql) ?? kindOf(sql)
    this.#kinds.set(sql, kind)
    const time = this.#times.get(kind) ?? { calls: 0, ms: 0 }
    time.calls++
    time.ms += ms
    this.#times.set(kind, time)
  }
}

/** The table that it changes, or reads first. */
function kindOf(sql: string): string {
  const text = sql.replaceAll(/\s+/g, ' ').trim()
  const [change] = /^(?:INSERT INTO|UPDATE|BEGIN|COMMIT|PRAGMA)(?: \w+)?/.exec(text) ?? []
  if (change) return change
  // Subqueries are in brackets; the first table follows the last column.
  const [, from] =
    / FROM (\w+(?:\(\?\))?(?: \w\b)?(?: NOT INDEXED| INDEXED BY \w+)?)(?!\w| WHERE key = [em]\.)/.exec(text) ?? []
  return from ? `from ${from}` : text.slice(0, 40)
}
