/**
 * Whether one kind of failure is more frequent than usual, and since when. Pure arithmetic over counts by hour; see
 * docs/decisions/0059 for the rules.
 */
import type { FigureId } from '../figures.ts'

export type FailureFigure = Extract<FigureId, 'bounced' | 'deferred' | 'late_bounces' | 'complaints'>

interface Rule {
  /** Fewer events are never a finding. */
  readonly floor: number
  /** Share that is expected of a kind without any history. */
  readonly rate: number
  /** How much one event matters, compared with a bounce. */
  readonly weight: number
}

export const RULES: Readonly<Record<FailureFigure, Rule>> = {
  bounced: { floor: 20, rate: 0.02, weight: 1 },
  deferred: { floor: 50, rate: 0.1, weight: 0.25 },
  late_bounces: { floor: 20, rate: 0.005, weight: 1 },
  complaints: { floor: 8, rate: 0.001, weight: 5 },
}

/** At least this many times the usual count. */
const FACTOR = 2
/** Standard deviations above the usual count, for events that are independent of each other. */
const DEVIATIONS = 6
/** Part of the mail of the provider or the address, or of all mail, that the additional failures must be. */
const SHARE_OF_GROUP = 0.02
const SHARE_OF_ALL = 0.002
/** Deliveries that the rate of a kind without history counts as much as. */
const PRIOR_WEIGHT = 20
/** How much more than usual an hour must have to belong to the time in question. */
const HOUR_FACTOR = 1.5
const HOUR_SLACK = 0.5

/** By hour: the events of a kind, and the events that they are a share of. */
export interface HourCounts {
  readonly counts: readonly number[]
  readonly wholes: readonly number[]
}

export interface Examined {
  readonly figure: FailureFigure
  readonly now: HourCounts
  /** The same hours of other periods; none if there is nothing to compare with. */
  readonly usual: readonly HourCounts[]
  /** What all mail of the figure is a share of, by hour. */
  readonly all: readonly number[]
  /** Part of the last hour that is over, from 0 to 1. */
  readonly elapsed: number
}

/** From hour `first` to `last`, both inclusive, counted from the start of the window. */
export interface Deviation {
  readonly first: number
  readonly last: number
  readonly count: number
  /** What was to be expected in these hours. */
  readonly usual: number
  /** The group had no mail in the other periods: what was to be expected is the rate of a kind without history. */
  readonly isNew: boolean
  /** Of the mail of the group, and of all mail, in these hours. */
  readonly shareOfGroup: number
  readonly shareOfAll: number
  readonly score: number
}

export function findDeviation(examined: Examined): Deviation | undefined {
  const { figure, now, all } = examined
  const { floor, weight } = RULES[figure]
  if (sum(now.counts) < floor) return undefined
  const expected = expectHours(examined)
  const worst = findWorstHours(now.counts.map((count, at) => count - HOUR_FACTOR * (expected[at] ?? 0) - HOUR_SLACK))
  if (!worst) return undefined
  const [first, last] = worst
  const within = (numbers: readonly number[]) => sum(numbers.slice(first, last + 1))
  const count = within(now.counts)
  const usual = within(expected)
  const excess = count - usual
  const shareOfGroup = count / Math.max(within(now.wholes), count)
  const shareOfAll = count / Math.max(within(all), count)
  const isMuch = count >= floor && count >= FACTOR * usual && excess >= DEVIATIONS * Math.sqrt(usual + 1)
  const part = excess / count
  const isNoticeable = shareOfGroup * part >= SHARE_OF_GROUP || shareOfAll * part >= SHARE_OF_ALL
  if (!isMuch || !isNoticeable) return undefined
  const isNew = examined.usual.every(({ counts, wholes }) => sum(counts) + sum(wholes) === 0)
  return { first, last, count, usual, isNew, shareOfGroup, shareOfAll, score: excess * weight }
}

/** The usual count of the hour, or the usual share of the mail of this hour, whichever is more: more mail has more failures. */
function expectHours({ figure, now, usual, elapsed }: Examined): readonly number[] {
  const rate = usualRate(figure, usual)
  return now.counts.map((_, at) => {
    const part = at === now.counts.length - 1 ? elapsed : 1
    const before = median(usual.map(({ counts }) => counts[at] ?? 0)) * part
    return Math.max(before, rate * (now.wholes[at] ?? 0))
  })
}

/** The median: a week that had the same trouble does not make it usual. */
function usualRate(figure: FailureFigure, usual: readonly HourCounts[]): number {
  const prior = RULES[figure].rate
  const rates = usual.map(
    ({ counts, wholes }) => (sum(counts) + PRIOR_WEIGHT * prior) / (Math.max(sum(wholes), sum(counts)) + PRIOR_WEIGHT),
  )
  return rates.length === 0 ? prior : median(rates)
}

/** The consecutive hours with the largest sum; undefined if no hour has more than expected. */
function findWorstHours(excesses: readonly number[]): readonly [first: number, last: number] | undefined {
  let worst: readonly [number, number] | undefined
  let [most, total, first] = [0, 0, 0]
  for (const [at, excess] of excesses.entries()) {
    if (total <= 0) [total, first] = [0, at]
    total += excess
    if (total > most) [most, worst] = [total, [first, at]]
  }
  return worst
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
