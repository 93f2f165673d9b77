/** Medians and percentiles from Node's HDR histogram, and rounds in which two sides take turns. */
import { createHistogram } from 'node:perf_hooks'

/** The histogram counts whole numbers, to three significant digits. */
const SCALE = 1e6

/** Positive numbers of any unit. */
export class Figures {
  readonly #histogram = createHistogram()

  static of(values: Iterable<number>): Figures {
    const figures = new Figures()
    for (const value of values) figures.add(value)
    return figures
  }

  get count(): number {
    return this.#histogram.count
  }

  get median(): number {
    return this.percentile(50)
  }

  add(value: number): void {
    this.#histogram.record(Math.max(1, Math.round(value * SCALE)))
  }

  percentile(percent: number): number {
    return this.#histogram.percentile(percent) / SCALE
  }
}

export interface Rounds {
  readonly rounds: number
  /** After this time no further round begins, provided that there were three. */
  readonly enoughMs?: number
}

const ROUNDS_MIN = 3

/** Runs both sides in every round, alternating which goes first, and returns the median of each side's rounds. */
export async function takeTurns(
  { rounds, enoughMs = Number.POSITIVE_INFINITY }: Rounds,
  ours: () => Promise<number>,
  peers: () => Promise<number>,
): Promise<{ readonly ours: number; readonly peer: number }> {
  const figures = { ours: new Figures(), peer: new Figures() }
  const started = performance.now()
  for (let round = 0; round < rounds; round++) {
    if (round >= ROUNDS_MIN && performance.now() - started > enoughMs) break
    if (round % 2 === 0) figures.ours.add(await ours())
    figures.peer.add(await peers())
    if (round % 2 === 1) figures.ours.add(await ours())
  }
  return { ours: figures.ours.median, peer: figures.peer.median }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
