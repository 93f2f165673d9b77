/** How often DNS is queried while somebody waits for records to appear: often at first, then less, and not forever. */

const DELAYS_MS = [4000, 5000, 5000, 10_000, 10_000, 15_000, 20_000, 30_000] as const
const LAST_MS = 60_000
/** About an hour. The server continues to check the domain automatically. */
const CHECKS_MAX = 60

/** The wait before a check, counted from 0; undefined if there are no more. */
export function watchDelay(check: number): number | undefined {
  return check >= CHECKS_MAX ? undefined : (DELAYS_MS[check] ?? LAST_MS)
}
