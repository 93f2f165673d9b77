/** The decisions about events: locks of shards, decided batches, numbers of events, the days that are removed. */
import { LOCKS } from '../database/locks.ts'
import type { Postgres, Session } from '../database/postgres.ts'
import type { Horizon } from './batch.ts'
import { HeldShard } from './held-shard.ts'

/**
 * After this long without a word from a server that holds a lock, PostgreSQL ends its session: a process that hangs or a machine that
 * vanished must not keep others from writing. Longer than a batch may take to be applied.
 */
const SILENCE_MS = 12_000
/** Sessions that are kept for the next use. */
const IDLE_SESSIONS_MAX = 8

// A decision that is lost after it was applied would leave events without counts, and numbers that are given out twice.
const REQUIRE_DURABLE =
  "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"

const READ_HORIZON = `
  SELECT coalesce((SELECT next FROM arrival), 1)::bigint AS next,
    ARRAY(SELECT shard || ' ' || min(first) FROM batch GROUP BY shard) AS unfinished`

const LIST_WAITING = 'SELECT DISTINCT shard FROM batch ORDER BY shard'

export interface BatchStoreOptions {
  readonly db: Postgres
  /** Default: 12 seconds. */
  readonly silenceMs?: number
  /** Called with each new session before it is used; what it throws is thrown by the call that needed the session. */
  readonly examine?: (session: Session) => Promise<unknown>
}

export class BatchStore {
  readonly #db: Postgres
  readonly #silenceMs: number
  readonly #examine: (session: Session) => Promise<unknown>
  readonly #idle: Session[] = []
  #isClosed = false

  constructor({ db, silenceMs = SILENCE_MS, examine = async () => undefined }: BatchStoreOptions) {
    this.#db = db
    this.#examine = examine
    this.#silenceMs = silenceMs
  }

  /**
   * Runs `work` while no other server, and no other call of this one, holds the shard. Rejects with AppError `storage_unavailable` if the
   * lock is not free within the time. Those who wait get it in the order of their calls.
   */
  async hold<T>(shard: number, waitMs: number, work: (held: HeldShard) => Promise<T>): Promise<T> {
    const session = await this.#take()
    try {
      const wait = Math.max(1, Math.round(waitMs))
      // One message. Without a lock a session may be silent for as long as it wants.
      await session.run(
        `SET lock_timeout = ${wait}; SET idle_session_timeout = ${this.#silenceMs};
         SELECT pg_advisory_lock(${LOCKS.shard}, ${Number(shard)})`,
      )
      return await work(new HeldShard(shard, session))
    } finally {
      await this.#release(session)
    }
  }

  /** As `hold`, but returns undefined at once if the lock is not free. */
  async tryHold<T>(shard: number, work: (held: HeldShard) => Promise<T>): Promise<T | undefined> {
    const session = await this.#take()
    try {
      const query = 'SELECT pg_try_advisory_lock($1, $2)::int'
      await session.run(`SET idle_session_timeout = ${this.#silenceMs}`)
      const isFree = (await session.number(query, LOCKS.shard, shard)) === 1
      return isFree ? await work(new HeldShard(shard, session)) : undefined
    } finally {
      await this.#release(session)
    }
  }

  /** As of one moment: batches below `next` that are not unfinished are applied. */
  async readHorizon(): Promise<Horizon> {
    const row = await this.#db.get<{ next: number; unfinished: readonly string[] }>(READ_HORIZON)
    const pairs = row?.unfinished.map((pair) => pair.split(' ').map(Number) as [number, number])
    return { next: row?.next ?? 1, unfinished: new Map(pairs) }
  }

  /** Shards with batches that are not applied yet. */
  async listWaiting(): Promise<readonly number[]> {
    return (await this.#db.all<{ shard: number }>(LIST_WAITING)).map(({ shard }) => shard)
  }

  /** Sessions that are in use are closed when they are given back. */
  close(): void {
    this.#isClosed = true
    for (const session of this.#idle.splice(0)) session.close()
  }

  async #take(): Promise<Session> {
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) if (idle.isOpen) return idle
    const session = await this.#db.openSession({
      // PostgreSQL's defaults would notice a machine that vanished after two hours.
      tcp_keepalives_idle: 5,
      tcp_keepalives_interval: 2,
      tcp_keepalives_count: 3,
      client_connection_check_interval: '2s',
    })
    try {
      await session.run(REQUIRE_DURABLE)
      await this.#examine(session)
      return session
    } catch (error) {
      session.close()
      throw error
    }
  }

  async #release(session: Session): Promise<void> {
    try {
      if (!session.isOpen) return
      const unlock = `SELECT pg_advisory_unlock_all(); SET idle_session_timeout = 0`
      await session.run(unlock)
      if (this.#isClosed || this.#idle.length >= IDLE_SESSIONS_MAX) session.close()
      else this.#idle.push(session)
    } catch {
      // Its end releases the lock.
      session.close()
    }
  }
}
