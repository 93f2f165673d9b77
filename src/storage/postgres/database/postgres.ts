/** A thin adapter around `pg`, the only module that imports it: a pool, statements with values, transactions. */
import pg from 'pg'
import { isSilence, isUnavailable, postgresUnavailable } from './postgres-failure.ts'

type SqlScalar = null | number | string | Uint8Array
export type SqlValue = SqlScalar | readonly SqlScalar[]
export type Row = Record<string, null | number | string | Uint8Array>

/** Connections of one server, of which PostgreSQL allows few. Requests wait for a free one. */
const CONNECTIONS = 10
const CONNECT_TIMEOUT_MS = 3000
/** A statement of the control store takes milliseconds; one that takes this long waits for a lock or a dead disk. */
const STATEMENT_TIMEOUT_MS = 10_000
/** Longer than PostgreSQL's own limit: this one is for a server that says nothing any more. */
const ANSWER_TIMEOUT_MS = 12_000
/** A client that vanished in a transaction must not keep its locks. */
const IDLE_IN_TRANSACTION_MS = 10_000
/** Between questions on a connection that listens, and for each answer. Streams may miss what arrives while it is silent for longer. */
const PULSE_MS = 3000

const INT8 = 20
const BYTEA = 17

/** What a statement can be sent to: the pool, or the connection of a transaction. */
export class Statements {
  readonly #target: pg.Pool | pg.ClientBase
  readonly #answerMs: number | undefined

  /** `answerMs`: instead of the time that the connection allows for an answer. */
  constructor(target: pg.Pool | pg.ClientBase, answerMs?: number) {
    this.#target = target
    this.#answerMs = answerMs
  }

  async all<R extends object = Row>(sql: string, ...values: readonly SqlValue[]): Promise<R[]> {
    return (await this.#query<R>(sql, values)).rows
  }

  async get<R extends object = Row>(sql: string, ...values: readonly SqlValue[]): Promise<R | undefined> {
    return (await this.#query<R>(sql, values)).rows[0]
  }

  /** The only value of the only row. */
  async number(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    const [row] = (await this.#query<Record<string, number>>(sql, values)).rows
    return Object.values(row ?? {})[0] ?? 0
  }

  /** Returns the number of rows that it changed. */
  async run(sql: string, ...values: readonly SqlValue[]): Promise<number> {
    return (await this.#query(sql, values)).rowCount ?? 0
  }

  async #query<R extends object>(
    sql: string,
    values: readonly SqlValue[],
  ): Promise<pg.QueryResult<R & pg.QueryResultRow>> {
    const config = { text: sql, values: values.map(toParameter), query_timeout: this.#answerMs }
    try {
      return await this.#target.query<R & pg.QueryResultRow>(config)
    } catch (error) {
      // Each further statement, ROLLBACK among them, would wait as long again. The pool does it by itself.
      if (isSilence(error) && this.#target instanceof pg.Client) void this.#target.end().catch(() => undefined)
      throw isUnavailable(error) ? postgresUnavailable(error) : error
    }
  }
}

/** A connection of its own, for what PostgreSQL ties to a connection: locks that outlive transactions. */
export class Session extends Statements {
  readonly #client: pg.Client
  #isOpen = true

  constructor(client: pg.Client) {
    super(client)
    this.#client = client
    const end = () => {
      this.#isOpen = false
    }
    client.on('error', end)
    client.on('end', end)
  }

  /** False once the connection is known to be broken: its locks are those of others then. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return runTransaction(this, 'BEGIN', work, () => this.close())
  }

  close(): void {
    this.#isOpen = false
    void this.#client.end().catch(() => undefined)
  }
}
export type ConnectionChanges = Pick<
  pg.ClientConfig,
  'application_name' | 'statement_timeout' | 'query_timeout' | 'idle_in_transaction_session_timeout'
>

export interface Listener {
  readonly onNotice: (notice: pg.Notification) => void
  readonly onEnd: () => void
}

export class Postgres extends Statements {
  readonly #pool: pg.Pool
  readonly #settings: pg.ClientConfig

  /** `changes`: for connections that are not those of a server. */
  constructor(url: string, changes: ConnectionChanges = {}) {
    const settings: pg.ClientConfig = {
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      application_name: 'envelog',
      keepAlive: true,
      types: { getTypeParser },
      ...changes,
    }
    const pool = new pg.Pool({ ...settings, max: CONNECTIONS })
    super(pool)
    this.#pool = pool
    this.#settings = settings
    // A connection that breaks while it is idle is replaced by the next statement.
    pool.on('error', () => undefined)
  }

  /** With a shorter wait for answers. A free connection is waited for as long as otherwise. */
  answeringWithin(answerMs: number): Statements {
    return new Statements(this.#pool, answerMs)
  }

  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#within('BEGIN', work)
  }

  /** All reads see the same moment. */
  snapshot<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#within('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY', work)
  }

  /** `settings`: of the connection, besides those of all connections. `changes`: what is different from those. */
  async openSession(
    settings: Readonly<Record<string, string | number>>,
    changes: ConnectionChanges = {},
  ): Promise<Session> {
    const client = new pg.Client({ ...this.#settings, ...changes })
    const session = new Session(client)
    try {
      await client.connect()
      // Not as options of the connection: those of the address would replace them.
      await client.query(Object.entries(settings).map(toSet).join('; '))
      return session
    } catch (error) {
      session.close()
      throw isUnavailable(error) ? postgresUnavailable(error) : error
    }
  }

  /** A connection of its own that listens; returns what ends it. `onEnd`: the connection broke, or does not answer. */
  async listen(channel: string, { onNotice, onEnd }: Listener): Promise<() => void> {
    const client = new pg.Client({ ...this.#settings, query_timeout: PULSE_MS })
    let hasEnded = false
    const stop = () => {
      hasEnded = true
      clearInterval(pulse)
      void client.end().catch(() => undefined)
    }
    const lose = () => {
      if (hasEnded) return
      stop()
      onEnd()
    }
    // Nothing else is sent on it: it would not be noticed that the other side is gone.
    const pulse = setInterval(() => void client.query('SELECT 1').catch(lose), PULSE_MS).unref()
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', (notice) => {
      if (!hasEnded) onNotice(notice)
    })
    try {
      await client.connect()
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      return stop
    } catch (error) {
      // Reported by the error alone, not by `onEnd` too.
      stop()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#pool.end()
  }

  async #within<T>(begin: string, work: (statements: Statements) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    let isBroken = false
    const onBroken = () => {
      isBroken = true
    }
    // The pool listens only to idle connections, and an error that nobody listens to ends the process.
    client.on('error', onBroken)
    try {
      return await runTransaction(new Statements(client), begin, work, onBroken)
    } finally {
      client.off('error', onBroken)
      client.release(isBroken)
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (error) {
      throw isUnavailable(error) ? postgresUnavailable(error) : error
    }
  }
}

function toSet([name, value]: readonly [string, string | number]): string {
  return `SET ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(String(value))}`
}

/** `onBroken`: the connection is in an unknown state, and must not be used again. */
async function runTransaction<T>(
  statements: Statements,
  begin: string,
  work: (statements: Statements) => Promise<T>,
  onBroken: () => void,
): Promise<T> {
  try {
    await statements.run(begin)
    const result = await work(statements)
    await statements.run('COMMIT')
    return result
  } catch (error) {
    await statements.run('ROLLBACK').catch(onBroken)
    throw error
  }
}

/** Text in PostgreSQL has no NUL: it is replaced as an unreadable character is. */
function toParameter(value: SqlValue): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD')
  if (Array.isArray(value)) return value.map(toParameter)
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value
}

/** All our numbers are safe integers, and bytes are plain arrays as they are everywhere else. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return Number
  if (oid === BYTEA) return (text) => Uint8Array.from(Buffer.from(text.slice(2), 'hex'))
  return pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown
}
