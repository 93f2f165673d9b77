/** How often each kind of statement runs, and how long that takes: measured where the adapter hands it to SQLite. */
import { Database } from '../src/storage/sqlite/database/database.ts'

export interface StatementTime {
  readonly kind: string
  readonly calls: number
  readonly ms: number
}

type Method = (this: Database, sql: string, ...values: never[]) => unknown

const METHODS = ['run', 'get', 'all', 'allArrays', 'execute'] as const

export class StatementTimes {
  readonly #times = new Map<string, { calls: number; ms: number }>()
  /** By text: finding it out takes longer than many a statement. */
  readonly #kinds = new Map<string, string>()

  /** From here on, for all databases of this thread. */
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

  /** What has run since the last time it was asked, what took the most time first. */
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

/** What it changes, or what it reads first. */
function kindOf(sql: string): string {
  const text = sql.replaceAll(/\s+/g, ' ').trim()
  const [change] = /^(?:INSERT INTO|UPDATE|BEGIN|COMMIT|PRAGMA)(?: \w+)?/.exec(text) ?? []
  if (change) return change
  // Subqueries stand in brackets; what is read comes behind the last column.
  const [, from] =
    / FROM (\w+(?:\(\?\))?(?: \w\b)?(?: NOT INDEXED| INDEXED BY \w+)?)(?!\w| WHERE key = [em]\.)/.exec(text) ?? []
  return from ? `from ${from}` : text.slice(0, 40)
}
