/**
 * The right to erase, which one server of the installation has at a time, and what was decided with it. A deletion is decided with its
 * numbers of events, so that a recount can still prove the counters, and then carried out, by whichever server.
 */
import { AppError } from '../../../lib/app-error.ts'
import type { Postgres, Statements } from '../../postgres/database/postgres.ts'
import type { TableName } from '../server/clickhouse.ts'

/** Rows of one table that ClickHouse has to delete. */
export interface Deletion {
  readonly table: TableName
  /** SQL. It is kept for a while by ClickHouse and ZooKeeper, so it must not contain anything of the events but numbers. */
  readonly where: string
  /** Those that have such rows: YYYY-MM-DD, or `tuple()` for a table without partitions. */
  readonly partitions: readonly string[]
}

export interface Decided {
  /** Tells erasures apart. */
  readonly job: string
  /** New for each decision: by it the statements are found among those that ClickHouse carries out. */
  readonly tag: string
  /** YYYY-MM-DD. Absent for counts. */
  readonly day?: string
  readonly events: number
  readonly deletions: readonly Deletion[]
}

/** A partition of which old files may be left. */
export interface UncleanPartition {
  readonly table: string
  readonly partition: string
  readonly newest: number
}

/** Longer than a step may take without a word; a server that died is waited for as long. */
const LEASE_SECONDS = 60
const LEASED_UNTIL = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`

const CLAIM = `
  INSERT INTO erasing VALUES (1, 1, ${LEASED_UNTIL})
  ON CONFLICT (id) DO UPDATE SET lease = erasing.lease + 1, leased_until = excluded.leased_until
    WHERE erasing.leased_until <= clock_timestamp()
  RETURNING lease, decided`
const EXTEND = `UPDATE erasing SET leased_until = ${LEASED_UNTIL} WHERE lease = $1`
const DECIDE = `UPDATE erasing SET leased_until = ${LEASED_UNTIL}, decided = $2 WHERE lease = $1`
const RELEASE = 'UPDATE erasing SET leased_until = clock_timestamp() WHERE lease = $1'
const COUNT = `
  INSERT INTO erased_count SELECT $1, * FROM unnest($2::bigint[], $3::bigint[])
  ON CONFLICT (day, domain_number) DO UPDATE SET count = erased_count.count + excluded.count`
const FORGET = 'DELETE FROM erased_count WHERE domain_number = ANY ($1)'
const SOIL = `
  INSERT INTO unclean_partition VALUES ($1, $2, $3)
  ON CONFLICT (table_name, partition) DO UPDATE SET newest = greatest(unclean_partition.newest, excluded.newest)`

export class ErasureLease implements AsyncDisposable {
  readonly #db: Postgres
  readonly #number: number
  #decided: Decided | undefined

  private constructor(db: Postgres, number: number, decided: string | null) {
    this.#db = db
    this.#number = number
    this.#decided = decided === null ? undefined : (JSON.parse(decided) as Decided)
  }

  /** Undefined while another one has it. */
  static async claim(db: Postgres): Promise<ErasureLease | undefined> {
    const row = await db.get<{ lease: number; decided: string | null }>(CLAIM)
    return row && new ErasureLease(db, row.lease, row.decided)
  }

  /** Decided by an earlier step and not known to be carried out. */
  get decided(): Decided | undefined {
    return this.#decided
  }

  /** `counted`: events by domain that still count. */
  async decide(decided: Decided, counted: ReadonlyMap<number, number>): Promise<void> {
    await this.#db.transaction(async (statements) => {
      await this.#require(statements, DECIDE, JSON.stringify(decided))
      if (decided.day === undefined || counted.size === 0) return
      await statements.run(COUNT, decided.day, [...counted.keys()], [...counted.values()])
    })
    this.#decided = decided
  }

  /** Nothing of these domains counts any more. */
  async forgetCounts(domainNumbers: readonly number[]): Promise<void> {
    await this.#db.run(FORGET, domainNumbers)
  }

  /** Throws AppError `storage_unavailable` if another server has it by now. */
  async extend(): Promise<void> {
    await this.#require(this.#db, EXTEND)
  }

  /** Keeps it during something that may take longer than the lease. If it is lost nevertheless, the next step with it fails. */
  async keepDuring<T>(work: Promise<T>, everyMs = (LEASE_SECONDS * 1000) / 3): Promise<T> {
    let extending: Promise<void> | undefined
    const timer = setInterval(() => {
      extending = this.extend().catch(() => undefined)
    }, everyMs)
    try {
      return await work
    } finally {
      clearInterval(timer)
      // It must not come after the lease is given back.
      await extending
    }
  }

  /** ClickHouse has deleted it, on all replicas. */
  async complete(unclean: readonly UncleanPartition[]): Promise<void> {
    await this.#db.transaction(async (statements) => {
      for (const { table, partition, newest } of unclean) await statements.run(SOIL, table, partition, newest)
      await this.#require(statements, DECIDE, null)
    })
    this.#decided = undefined
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // If it cannot be given back, it expires.
    await this.#db.run(RELEASE, this.#number).catch(() => undefined)
  }

  async #require(statements: Statements, sql: string, ...values: readonly (string | null)[]): Promise<void> {
    if ((await statements.run(sql, this.#number, ...values)) === 1) return
    throw new AppError('storage_unavailable', 'Another server has taken over the removal.')
  }
}
