/** A database that records the query plan of every statement. */
import { Database, type Row, type SqlValue } from '../../../src/storage/sqlite/database/database.ts'

export class ExplainingDatabase extends Database {
  readonly plans: { readonly sql: string; readonly plan: string }[] = []

  override all<T extends Row>(sql: string, ...values: SqlValue[]): T[] {
    this.#explain(sql, values)
    return super.all<T>(sql, ...values)
  }

  override allArrays<T extends SqlValue[]>(sql: string, ...values: SqlValue[]): T[] {
    this.#explain(sql, values)
    return super.allArrays<T>(sql, ...values)
  }

  override get<T extends Row>(sql: string, ...values: SqlValue[]): T | undefined {
    this.#explain(sql, values)
    return super.get<T>(sql, ...values)
  }

  #explain(sql: string, values: readonly SqlValue[]): void {
    const steps = super.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
    this.plans.push({ sql, plan: steps.map((step) => step.detail).join('\n') })
  }
}
