/** Work that one server of an installation does for all of them. */
import type { Logger } from 'pino'
import { findDifference, type SharedTimeDeps } from './shared-time.ts'

export interface AsOneDeps extends SharedTimeDeps {
  readonly logger: Pick<Logger, 'error'>
}

/**
 * Undefined if another server does it, or has to: a server whose clock differs from the database's must not decide for all what is old.
 * After a failure any of them may try.
 */
export async function asOne<T>(
  { storage: { shared }, clock, logger }: AsOneDeps,
  name: string,
  leaseMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  if (!shared) return work()
  const times = findDifference(clock(), await shared.readClock())
  if (times) {
    logger.error(times, `${name} is left to other servers: the clock of this server and that of PostgreSQL differ`)
    return undefined
  }
  if (!(await shared.leases.claim(name, leaseMs))) return undefined
  try {
    return await work()
  } catch (error) {
    await shared.leases.release(name).catch(() => undefined)
    throw error
  }
}
