/** Transactions that hold one of the locks until they are committed: one after the other, over all servers. */
import type { LOCKS } from './locks.ts'
import type { Postgres, Statements } from './postgres.ts'
import { postgresUnavailable } from './postgres-failure.ts'

export type LockedTransactions = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>

/** As long as PostgreSQL lets a statement wait for the lock. While it is silent, the waits of all would add up otherwise. */
const QUEUE_WAIT_MAX_MS = 10_000

/**
 * Those of this server wait here for each other, where they hold no connection that others need. One that has waited for too long rejects
 * with AppError `storage_unavailable`, and is not begun.
 */
export function lockedTransactions(
  db: Postgres,
  lock: (typeof LOCKS)[keyof typeof LOCKS],
  waitMaxMs = QUEUE_WAIT_MAX_MS,
): LockedTransactions {
  let last: Promise<unknown> = Promise.resolve()
  return async (work) => {
    const before = last
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    last = before.then(() => ended)
    try {
      await waitFor(before, waitMaxMs)
      return await db.transaction(async (statements) => {
        await statements.run('SELECT pg_advisory_xact_lock($1)', lock)
        return work(statements)
      })
    } finally {
      end()
    }
  }
}

async function waitFor(turn: Promise<unknown>, waitMaxMs: number): Promise<void> {
  const late = Promise.withResolvers<never>()
  const refuse = () => late.reject(postgresUnavailable(new Error('Earlier transactions take too long')))
  const timer = setTimeout(refuse, waitMaxMs)
  try {
    await Promise.race([turn, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
