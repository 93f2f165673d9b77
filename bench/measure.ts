/** Figures out of many measurements: percentiles, and medians of rounds in which the sides take turns. */

export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const index = Math.ceil((percent / 100) * sorted.length) - 1
  return sorted[Math.max(0, index)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

export interface Rounds {
  readonly rounds: number
  /** No further round begins after this long, once there were three. */
  readonly enoughMs?: number
}

const ROUNDS_MIN = 3

/** Both sides in every round, each going first in turn; the median of each one's rounds. */
export async function takeTurns(
  { rounds, enoughMs = Number.POSITIVE_INFINITY }: Rounds,
  ours: () => Promise<number>,
  peers: () => Promise<number>,
): Promise<{ readonly ours: number; readonly peer: number }> {
  const figures = { ours: [] as number[], peer: [] as number[] }
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    if (round >= ROUNDS_MIN && performance.now() - started > enoughMs) break
    if (round % 2 === 0) figures.ours.push(await ours())
    figures.peer.push(await peers())
    if (round % 2 === 1) figures.ours.push(await ours())
  }
  return { ours: median(figures.ours), peer: median(figures.peer) }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
