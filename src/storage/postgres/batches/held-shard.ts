/** A shard whose lock this server holds: only here are its events decided and its batches removed. */
import type { Session, Statements } from '../database/postgres.ts'
import { type Batch, type BatchDraft, type ClosedCount, type DecisionRules, NAMED_DOMAINS_MAX } from './batch.ts'

/** The day before which nothing is accepted, if retention has not removed anything yet. */
const NO_CUT = '0000-01-01'

const FIND_OLDEST = `
  SELECT first, events, token, domains, payload FROM batch WHERE shard = $1 ORDER BY first LIMIT 1`

const LOCK_CUT = 'SELECT cut_day AS "cutDay", closed_day AS "closedDay" FROM shard WHERE number = $1 FOR SHARE'
// There has to be a row to lock: what moves the cut waits for the transaction that adds it, too.
// A shard that is added later begins with the cut of the others.
const ADD_CUT = `
  INSERT INTO shard SELECT $1, coalesce((SELECT max(cut_day) FROM shard), $2) ON CONFLICT DO NOTHING`

const ADD_CLOSED = `
  INSERT INTO closed_total
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS added (number)
  WHERE NOT EXISTS (SELECT 1 FROM removed_domain WHERE removed_domain.number = added.number)
  ORDER BY added.number
  ON CONFLICT (domain_number) DO UPDATE SET bounce = closed_total.bounce + excluded.bounce,
    delivery = closed_total.delivery + excluded.delivery, reception = closed_total.reception + excluded.reception`

const FIND_REMOVED = 'SELECT number FROM removed_domain WHERE number = ANY ($1)'

const INSERT_BATCH =
  'INSERT INTO batch (shard, events, token, domains, payload) VALUES ($1, $2, $3, $4, $5) RETURNING id'

// Last, because the row of `arrival` is locked until the commit, for all shards. The payload is not written again.
const TAKE_NUMBERS = `
  WITH taken AS (
    INSERT INTO arrival VALUES (1, $2 + 1)
    ON CONFLICT (id) DO UPDATE SET next = arrival.next + $2
    RETURNING next - $2 AS first)
  UPDATE batch SET first = taken.first FROM taken WHERE id = $1 RETURNING batch.first`

// In one transaction: whoever hears of the events finds them complete.
const FINISH = `
  WITH finished AS (DELETE FROM batch WHERE shard = $1 AND first = $2 RETURNING id)
  SELECT pg_notify($3, $4) FROM finished`

interface BatchRow {
  readonly first: number
  readonly events: number
  readonly token: string
  readonly domains: readonly string[]
  readonly payload: Uint8Array
}

/** A notice to the other servers. */
export interface Announcement {
  readonly channel: string
  readonly text: string
}

export class HeldShard {
  readonly number: number
  readonly #session: Session

  constructor(number: number, session: Session) {
    this.number = number
    this.#session = session
  }

  /** False once the lock is known to be lost; it may be lost before. */
  get isHeld(): boolean {
    return this.#session.isOpen
  }

  /** The oldest decided batch that is not applied yet, or whose applying was not noted. */
  async findUnfinished(): Promise<Batch | undefined> {
    const row = await this.#session.get<BatchRow>(FIND_OLDEST, this.number)
    if (!row) return undefined
    const { domains, ...rest } = row
    return {
      ...rest,
      shard: this.number,
      domainNumbers: domains.length === 0 ? undefined : new Set(domains.map(Number)),
    }
  }

  /**
   * Decides: once this resolves, the batch can only be applied. If it rejects, it may have been decided all the same. `draft` is called with
   * the rules that hold until the decision; without a draft nothing is decided. The transaction is that of the session which holds
   * the lock: a server that has lost the lock cannot decide.
   */
  decide(
    domainNumbers: readonly number[],
    draft: (rules: DecisionRules) => Promise<BatchDraft | undefined>,
  ): Promise<Batch | undefined> {
    return this.#session.transaction(async (statements) => {
      const drafted = await draft(await this.#readRules(statements, domainNumbers))
      if (!drafted) return undefined
      const { events, token, payload, domainNumbers: own, closedCounts } = drafted
      const named = own.size > NAMED_DOMAINS_MAX ? [] : [...own]
      const id = await statements.number(INSERT_BATCH, this.number, events, token, named, payload)
      if (closedCounts.length > 0) await addClosed(statements, closedCounts)
      // Also a batch without events has a number of its own.
      const first = await statements.number(TAKE_NUMBERS, id, Math.max(1, events))
      return { shard: this.number, first, events, token, domainNumbers: named.length > 0 ? own : undefined, payload }
    })
  }

  /** Every event of the batch is stored and counted: it is no longer needed, and other servers are told. */
  async finish({ first }: Batch, { channel, text }: Announcement): Promise<void> {
    await this.#session.run(FINISH, this.number, first, channel, text)
  }

  /** Throws unless the lock was held all the time. PostgreSQL takes it from a server that is silent for too long. */
  async confirm(): Promise<void> {
    await this.#session.run('SELECT 1')
  }

  /** For work that excludes decisions about this shard. */
  transaction<T>(work: (statements: Statements) => Promise<T>): Promise<T> {
    return this.#session.transaction(work)
  }

  async #readRules(statements: Statements, domainNumbers: readonly number[]): Promise<DecisionRules> {
    const lockCut = () => statements.get<{ cutDay: string; closedDay: string | null }>(LOCK_CUT, this.number)
    let cut = await lockCut()
    if (!cut) {
      await addShard(statements, this.number)
      cut = await lockCut()
    }
    const removed = await statements.all<{ number: number }>(FIND_REMOVED, domainNumbers)
    return {
      cutDay: cut?.cutDay ?? NO_CUT,
      closedDay: cut?.closedDay ?? undefined,
      removedDomains: new Set(removed.map(({ number }) => number)),
    }
  }
}

/** A shard has a row from its first decision on, or before. */
export async function addShard(statements: Statements, number: number): Promise<void> {
  await statements.run(ADD_CUT, number, NO_CUT)
}

/** In one statement, each domain once. */
export async function addClosed(statements: Statements, counts: readonly ClosedCount[]): Promise<void> {
  const columns = (['domain', 'bounce', 'delivery', 'reception'] as const).map((name) => counts.map((row) => row[name]))
  await statements.run(ADD_CLOSED, ...columns)
}
