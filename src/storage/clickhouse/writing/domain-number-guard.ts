/** What the store of domains asks before a domain gets its number. */
import type { Postgres } from '../../postgres/database/postgres.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { guardNumbers } from './arrival-guard.ts'
import { continueDomains } from './domain-numbers.ts'

export class DomainNumberGuard {
  readonly #db: Postgres
  readonly #clickHouse: ClickHouse
  #isChecked = false

  constructor(db: Postgres, clickHouse: ClickHouse) {
    this.#db = db
    this.#clickHouse = clickHouse
  }

  /** To be called before a domain gets its number. Rejects if ClickHouse has to be asked and cannot be. */
  async check(): Promise<void> {
    const isExamined = await guardNumbers(this.#db, this.#clickHouse)
    // A copy that was restored before this server was started leaves no trace.
    if (!isExamined && !this.#isChecked) {
      await continueDomains(this.#db, this.#clickHouse, (table) => this.#clickHouse.readFrom(table))
    }
    this.#isChecked = true
  }
}
