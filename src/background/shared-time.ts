/** The time by which the servers of an installation decide together: PostgreSQL's. */
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { SharedState } from '../lib/shared-state.ts'

export interface SharedTimeDeps {
  /** `shared` is absent for an installation of one server. */
  readonly storage: { readonly shared?: SharedState | undefined }
  readonly clock: Clock
}

export interface DifferentTimes {
  readonly clock: string
  readonly database: string
}

/** Servers whose clocks are synchronized differ by much less. */
const CLOCK_DIFFERENCE_MAX_MS = 300_000

/** Both times, if a server with this clock must not decide for all what is old or due. */
export function findDifference(clockMs: number, databaseMs: number): DifferentTimes | undefined {
  if (Math.abs(clockMs - databaseMs) <= CLOCK_DIFFERENCE_MAX_MS) return undefined
  return { clock: toText(clockMs), database: toText(databaseMs) }
}

/** A server that is alone goes by its own clock. Throws AppError `conflict` if the two differ too much. */
export async function readSharedTime({ storage: { shared }, clock }: SharedTimeDeps): Promise<number> {
  if (!shared) return clock()
  const databaseMs = await shared.readClock()
  const times = findDifference(clock(), databaseMs)
  if (times) {
    const { clock: own, database } = times
    throw new AppError(
      'conflict',
      `The clocks of this server (${own}) and of PostgreSQL (${database}) differ by more than five minutes: other servers do this job. Correct the clock.`,
    )
  }
  return databaseMs
}

/** Whatever a clock says; not all numbers are dates. */
function toText(timeMs: number): string {
  const date = new Date(timeMs)
  return Number.isNaN(date.getTime()) ? String(timeMs) : date.toISOString()
}
