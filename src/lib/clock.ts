/** The current time in milliseconds since 1970; an argument, so that tests can set it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}

/** Bounds of the present, for decisions that a wrong clock must not make. Equal while the clock is believed. */
export interface KnownTime {
  /** To remove or refuse what is too old. */
  readonly earliestMs: number
  /** To refuse what is in the future. */
  readonly latestMs: number
}

/** For a clock that is right. */
export function exactTime(clock: Clock): KnownTime {
  return {
    get earliestMs() {
      return clock()
    },
    get latestMs() {
      return clock()
    },
  }
}
