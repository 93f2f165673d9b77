/**
 * The time by which data expires. It follows the clock while the clock can be right, and is stored: a clock that jumps, while the
 * server runs or while it is stopped, is believed only after a day of running time, and then deletes step by step. See
 * docs/decisions/0039. Pure.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** At most this much history is removed in one run. A clock that is ahead by less needs no proof. */
export const STEP_MS = 3 * DAY_MS
/** A clock may be set back by this much. More, and events with the true time would be refused as future ones. */
export const BACK_MS = DAY_MS
/** Running time after which a clock that jumped is believed: long enough for time synchronization, and for a person. */
export const DOUBT_MS = DAY_MS
/** What a restart counts as running time at most: how long the server was stopped is what the clock may be wrong about. */
const RESTART_MS = HOUR_MS

export interface RetentionTime {
  /** The time by which data expires. */
  readonly timeMs: number
  /** What the clock said. */
  readonly clockMs: number
  /** Present while the clock is doubted. */
  readonly doubt?: Doubt
}

export interface Doubt {
  /** How far the clock is ahead of what was expected; negative: behind. */
  readonly offMs: number
  /** Running time since it was first seen to be. */
  readonly waitedMs: number
}

export interface Sight {
  readonly clockMs: number
  /** Running time since the last run; undefined for the first run of a process. */
  readonly elapsedMs: number | undefined
  /** Of the log. Needed only if there was no run before. */
  readonly newestEventMs: number | undefined
}

export function advance(before: RetentionTime | undefined, sight: Sight): RetentionTime {
  const { clockMs } = sight
  const expectedMs = before ? before.timeMs + (sight.elapsedMs ?? 0) : (sight.newestEventMs ?? clockMs)
  const offMs = clockMs - expectedMs
  if (!isDoubtful(offMs)) return believe(clockMs)
  const waitedMs = waited(before, sight, offMs)
  if (waitedMs < DOUBT_MS) return { timeMs: expectedMs, clockMs, doubt: { offMs, waitedMs } }
  // Behind: believing it removes nothing.
  if (offMs < 0) return believe(clockMs)
  return { timeMs: expectedMs + STEP_MS, clockMs, doubt: { offMs: offMs - STEP_MS, waitedMs } }
}

/** Whether a clock that is this far ahead (negative: behind) may be wrong. */
export function isDoubtful(offMs: number): boolean {
  return offMs > STEP_MS || offMs < -BACK_MS
}

/** Of a clock that is right, or that a person has confirmed. */
export function believe(clockMs: number): RetentionTime {
  return { timeMs: clockMs, clockMs }
}

/** Starts again when the clock jumps again. */
function waited(before: RetentionTime | undefined, { clockMs, elapsedMs }: Sight, offMs: number): number {
  if (!before?.doubt || Math.abs(offMs - before.doubt.offMs) > STEP_MS) return 0
  const restartMs = Math.min(Math.max(0, clockMs - before.clockMs), RESTART_MS)
  return before.doubt.waitedMs + (elapsedMs ?? restartMs)
}
