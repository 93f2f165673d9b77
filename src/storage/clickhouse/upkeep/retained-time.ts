/**
 * From which time on events are retained. Days before it are in the totals already, but their rows stay until every replica has dropped
 * them, and come back with a replica that was away: reads leave them out.
 */
import { AppError } from '../../../lib/app-error.ts'
import type { Statements } from '../../postgres/database/postgres.ts'
import { dayAfter, startOf } from './day.ts'

/** As long as what one server changes may take to have an effect on the others. */
const MAX_AGE_MS = 2000
const READ = 'SELECT max(day) AS day FROM folded_day'

export class RetainedTime {
  readonly #db: Statements
  /** It only grows. Undefined before the first read. */
  #from: number | undefined
  #validUntil = Number.NEGATIVE_INFINITY
  #removals = 0
  #reading: Promise<number> | undefined

  constructor(db: Statements) {
    this.#db = db
  }

  /** Unix seconds; 0 if nothing was removed yet. While PostgreSQL cannot be asked, as it was known last. */
  async from(): Promise<number> {
    if (this.#from !== undefined && performance.now() < this.#validUntil) return this.#from
    this.#reading ??= this.#read(this.#removals)
    return this.#reading
  }

  /** A day was removed: the next read asks, and does not join one that has asked before. */
  forget(): void {
    this.#removals += 1
    this.#validUntil = Number.NEGATIVE_INFINITY
    this.#reading = undefined
  }

  async #read(removals: number): Promise<number> {
    try {
      const last = (await this.#db.get<{ day: string | null }>(READ))?.day ?? undefined
      this.#from = Math.max(this.#from ?? 0, last === undefined ? 0 : startOf(dayAfter(last)))
      if (removals === this.#removals) this.#validUntil = performance.now() + MAX_AGE_MS
      return this.#from
    } catch (error) {
      if (this.#from === undefined || !(error instanceof AppError)) throw error
      return this.#from
    } finally {
      if (removals === this.#removals) this.#reading = undefined
    }
  }
}
