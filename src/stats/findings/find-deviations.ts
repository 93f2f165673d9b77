/** Compares the failures of a period with those of others: kinds of one provider, and those of many providers together. */
import { Turn } from '../../lib/turns/turn.ts'
import { type Deviation, type FailureFigure, findDeviation, type HourCounts, RULES, sum } from './deviation.ts'
import type { FailureKind, KindCounts } from './kind-counts.ts'

export interface FoundDeviation extends Deviation {
  readonly figure: FailureFigure
  /** Undefined: of several providers, none of which stands out. Empty: of events without one. */
  readonly provider: string | undefined
  /** Undefined: of any. Empty: of events without one. */
  readonly classification: string | undefined
  /** The only sending address of these failures, if that is what stands out. */
  readonly address?: string
  /** How many, if it is of several. */
  readonly providers?: number
}

export interface Compared {
  readonly now: KindCounts
  readonly usual: readonly KindCounts[]
  /** Part of the last hour that is over. */
  readonly elapsed: number
}

/** Worst first. There may be thousands of kinds: others get the thread in between. */
export async function findDeviations(compared: Compared): Promise<readonly FoundDeviation[]> {
  const { now, usual, elapsed } = compared
  const turn = new Turn()
  const found: FoundDeviation[] = []
  /** Failures of providers that do not stand out, by figure and class. */
  const others = new Map<string, FailureKind[]>()
  for await (const { kind, deviation } of examineKinds(compared, now)) {
    const { figure, group: provider, classification } = kind
    if (deviation) found.push({ ...deviation, figure, provider, classification })
    else {
      const key = JSON.stringify([figure, classification])
      const alike = others.get(key)
      if (alike) alike.push(kind)
      else others.set(key, [kind])
    }
  }
  for (const kinds of others.values()) {
    const [first] = kinds
    if (!first || kinds.length < 2) continue
    const { figure, classification } = first
    const sums: HourCounts[] = []
    for (const period of [now, ...usual]) sums.push(await addKinds(period, kinds, turn))
    const [ofAll, ...before] = sums
    const all = now.wholesOf(figure)
    const deviation = ofAll && findDeviation({ figure, now: ofAll, usual: before, all, elapsed })
    if (deviation) found.push({ ...deviation, figure, classification, provider: undefined })
  }
  return found.sort((a, b) => b.score - a.score)
}

interface ExaminedKind {
  readonly kind: FailureKind
  readonly deviation: Deviation | undefined
}

/** `allMail`: what shares of all mail are relative to. */
export async function* examineKinds(
  { now, usual, elapsed }: Compared,
  allMail: KindCounts,
): AsyncGenerator<ExaminedKind> {
  const turn = new Turn()
  for (const kind of now.listKinds()) {
    const { figure } = kind
    const ofKind = now.of(kind)
    if (sum(ofKind.counts) < RULES[figure].floor) yield { kind, deviation: undefined }
    else {
      const before = usual.map((period) => period.of(kind))
      const all = allMail.wholesOf(figure)
      yield { kind, deviation: findDeviation({ figure, now: ofKind, usual: before, all, elapsed }) }
    }
    if (turn.isOver) await turn.share()
  }
}

async function addKinds(period: KindCounts, kinds: readonly FailureKind[], turn: Turn): Promise<HourCounts> {
  const counts: number[] = []
  const wholes: number[] = []
  for (const kind of kinds) {
    const part = period.of(kind)
    for (const [at, count] of part.counts.entries()) {
      counts[at] = (counts[at] ?? 0) + count
      wholes[at] = (wholes[at] ?? 0) + (part.wholes[at] ?? 0)
    }
    if (turn.isOver) await turn.share()
  }
  return { counts, wholes }
}
