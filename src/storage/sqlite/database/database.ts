/** A thin adapter around node:sqlite, the only module that imports it: pragmas, prepared statements by text, transactions. */
import { backup, DatabaseSync, type StatementSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { failedOn } from './storage-failure.ts'

export type SqlValue = null | number | string | Uint8Array
export type Row = Record<string, SqlValue>

export interface OpenOptions {
  readonly readOnly?: boolean
  /**
   * For reading where no file can be created, which WAL mode needs even for readers. The file must not be written meanwhile,
   * and the content of the WAL is not seen.
   */
  readonly isFrozen?: boolean
  /** Page cache in KiB; the files are mostly in the system's cache, so this stays small. */
  readonly cacheKib?: number
  /** WAL for everything but the lock file. */
  readonly journal?: 'wal' | 'delete'
  readonly busyTimeoutMs?: number
}

/** How long a statement waits for a lock of another connection: that of the other thread, of a backup or a recount. */
const BUSY_TIMEOUT_MS = 10_000

/** Of a copy, in one go on a thread of Node's pool, which others need too. */
const PAGES_PER_STEP = 1000

/** Filters combine into some hundred texts at most; most are never seen. */
const STATEMENTS_MAX = 100

export class Database implements Disposable {
  readonly path: string
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #isHeld = false

  constructor(path: string, options: OpenOptions = {}) {
    this.path = path
    const target = options.isFrozen ? frozenUrl(path) : path
    const timeout = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS
    this.#db = this.#named(() => new DatabaseSync(target, { readOnly: options.readOnly ?? false, timeout }))
    // mmap stays off: it turns I/O errors into signals. Foreign keys are on by default in node:sqlite.
    this.execute(
      `PRAGMA cache_size = -${options.cacheKib ?? 2048}; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;`,
    )
    if (!options.readOnly && options.journal !== 'delete') {
      // FULL: a commit is on the disk before it returns. The default for WAL elsewhere, NORMAL, can lose acknowledged commits.
      this.execute('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;')
    }
  }

  /** The prepared statement of this text; prepared once. Texts come from a fixed set, never from request data. */
  #prepare(sql: string, returnsArrays = false): StatementSync {
    let statement = this.#statements.get(sql)
    if (!statement) {
      if (this.#statements.size >= STATEMENTS_MAX) this.#statements.clear()
      statement = this.#db.prepare(sql)
      if (returnsArrays) statement.setReturnArrays(true)
      this.#statements.set(sql, statement)
    }
    return statement
  }

  run(sql: string, ...values: SqlValue[]): { changes: number; lastInsertRowid: number } {
    const result = this.#named(() => this.#prepare(sql).run(...values))
    return { changes: Number(result.changes), lastInsertRowid: Number(result.lastInsertRowid) }
  }

  get<T extends Row>(sql: string, ...values: SqlValue[]): T | undefined {
    return this.#named(() => this.#prepare(sql).get(...values)) as T | undefined
  }

  all<T extends Row>(sql: string, ...values: SqlValue[]): T[] {
    return this.#named(() => this.#prepare(sql).all(...values)) as T[]
  }

  /** Rows as arrays of their columns: for the many rows of a page, where creating an object for each takes noticeable time. */
  allArrays<T extends SqlValue[]>(sql: string, ...values: SqlValue[]): T[] {
    return this.#named(() => this.#prepare(sql, true).all(...values)) as unknown as T[]
  }

  /** Rows as arrays, one at a time: for tables that may not fit into memory. */
  *iterate<T extends SqlValue[]>(sql: string): Generator<T> {
    const statement = this.#named(() => this.#db.prepare(sql))
    statement.setReturnArrays(true)
    for (const row of statement.iterate()) yield row as unknown as T
  }

  /** The first column of the first row; 0 if there is no row. */
  number(sql: string, ...values: SqlValue[]): number {
    return this.allArrays<[number]>(sql, ...values)[0]?.[0] ?? 0
  }

  /** Several statements without values, for schemas. */
  execute(sql: string): void {
    this.#named(() => this.#db.exec(sql))
  }

  /** A function of one text that SQL may call; NULL stays NULL. */
  defineTextFunction(name: string, implementation: (text: string) => string): void {
    this.#db.function(name, { deterministic: true }, (value) =>
      typeof value === 'string' ? implementation(value) : null,
    )
  }

  /** Takes the write lock at once, so that two writers queue up instead of failing half way. */
  transaction<T>(work: () => T): T {
    this.execute('BEGIN IMMEDIATE')
    try {
      const result = work()
      this.execute('COMMIT')
      return result
    } catch (error) {
      this.#rollBack()
      throw error
    }
  }

  /**
   * Opens a read transaction: the reads that follow see one snapshot, and save the locks that each would take. It must be
   * short, see held-reads.ts.
   */
  hold(): void {
    if (!this.isInTransaction) this.execute('BEGIN')
    this.#isHeld = true
  }

  release(): void {
    this.#isHeld = false
    this.#endRead()
  }

  /** Several reads in one read transaction. */
  snapshot<T>(work: () => T): T {
    if (this.#isHeld) return work()
    this.execute('BEGIN')
    try {
      return work()
    } finally {
      this.#endRead()
    }
  }

  /** Never throws: it may be called by a timer, and nothing depends on how a read transaction ends. */
  #endRead(): void {
    if (!this.isInTransaction) return
    try {
      this.#db.exec('COMMIT')
    } catch {
      this.#rollBack()
    }
  }

  /** Never throws: what led to it is the error to report. */
  #rollBack(): void {
    try {
      if (this.isInTransaction) this.#db.exec('ROLLBACK')
    } catch {
      // A damaged file may refuse even this; closing the connection ends the transaction.
    }
  }

  /** SQLite's errors do not name the file, and there are many. */
  #named<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw failedOn(this.path, error)
    }
  }

  get isInTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction
  }

  [Symbol.dispose](): void {
    this.close()
  }

  /** Moves the content of the WAL into the file, which can then be renamed. Closing does so as well, but ignores errors. */
  complete(): void {
    this.execute('PRAGMA wal_checkpoint(TRUNCATE)')
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#named(() => this.#db.close())
  }

  /**
   * A copy of the whole file as it is now, made step by step while others read and write. One read transaction lasts until
   * the end: without it SQLite would begin again after every commit of another connection. Meanwhile the WAL keeps growing.
   * `onStep` gets the bytes copied so far; the copy ends with what it throws.
   */
  async copyTo(path: string, onStep: (bytes: number) => void = () => undefined): Promise<void> {
    const pageBytes = this.number('PRAGMA page_size')
    this.hold()
    try {
      // The transaction begins with its first read.
      this.number('SELECT count(*) FROM sqlite_schema')
      const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
        onStep((totalPages - remainingPages) * pageBytes)
      // Not called after the last step.
      onStep((await backup(this.#db, path, { rate: PAGES_PER_STEP, progress })) * pageBytes)
    } finally {
      this.release()
    }
  }
}

function frozenUrl(path: string): URL {
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return url
}
