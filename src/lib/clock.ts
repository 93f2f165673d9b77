/** The current time in milliseconds since 1970; an argument, so that tests can set it. */
export type Clock = () => number

export const systemClock: Clock = () => Date.now()

export function toIsoTime(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
