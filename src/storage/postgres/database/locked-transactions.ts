/** Transactions that hold one of the locks until they are committed: one after the other, over all servers. */
import type { LOCKS } from './locks.ts'
import type { Postgres, Statements } from './postgres.ts'

export type LockedTransactions = <T>(work: (statements: Statements) => Promise<T>) => Promise<T>

/** Those of this server wait here for each other, where they hold no connection that others need. */
export function lockedTransactions(db: Postgres, lock: (typeof LOCKS)[keyof typeof LOCKS]): LockedTransactions {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const running = last.then(() =>
      db.transaction(async (statements) => {
        await statements.run('SELECT pg_advisory_xact_lock($1)', lock)
        return work(statements)
      }),
    )
    last = running.catch(() => undefined)
    return running
  }
}
