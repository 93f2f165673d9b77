/** Work that one server of an installation does for all of them. */
import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { SharedState } from '../lib/shared-state.ts'

export interface AsOneDeps {
  /** `shared` is absent for an installation of one server. */
  readonly storage: { readonly shared?: SharedState | undefined }
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
}

/** Servers whose clocks are synchronized differ by much less. */
const CLOCK_DIFFERENCE_MAX_MS = 300_000

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
  const clockMs = clock()
  const databaseMs = await shared.readClock()
  if (Math.abs(clockMs - databaseMs) > CLOCK_DIFFERENCE_MAX_MS) {
    const times = { clock: toText(clockMs), database: toText(databaseMs) }
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

/** Whatever a clock says; not all numbers are dates. */
function toText(timeMs: number): string {
  const date = new Date(timeMs)
  return Number.isNaN(date.getTime()) ? String(timeMs) : date.toISOString()
}
