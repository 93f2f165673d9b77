/** The time, as an argument: milliseconds since 1970, so that tests decide what "now" is. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
