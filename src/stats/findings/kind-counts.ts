/**
 * Counts of deliveries and failures by kind and hour, of one period. Bounded, however many providers and classes senders name: the largest
 * kinds stay, so that nobody hides the failures of others behind thousands of names.
 */
import { FIGURES } from '../figures.ts'
import { type HourCount, parseKind } from '../series.ts'
import { type FailureFigure, type HourCounts, sum } from './deviation.ts'

/** Kinds of one period that are told apart. */
const KINDS_KEPT = 5000
/** When there are as many, the smallest are forgotten: rarely, because it takes sorting. */
const KINDS_MAX = 2 * KINDS_KEPT

export const FAILURE_FIGURES: readonly FailureFigure[] = ['bounced', 'deferred', 'late_bounces', 'complaints']

const FIGURE_OF_TYPE = new Map<string | undefined, FailureFigure | 'delivered'>([
  ...FAILURE_FIGURES.map((figure) => [FIGURES[figure].types[0], figure] as const),
  [FIGURES.delivered.types[0], 'delivered'],
])

export interface FailureKind {
  readonly figure: FailureFigure
  /** The provider, or the sending address in counts by address. Empty if the events have none. */
  readonly group: string
  readonly classification: string
}

interface Counted {
  readonly kind: FailureKind
  readonly counts: number[]
}

export class KindCounts {
  readonly #fromHour: number
  readonly #hours: number
  readonly #failures = new Map<string, Counted>()
  /** By group, and by figure of all groups; the key of the latter cannot be that of a group. */
  readonly #wholes = new Map<string, number[]>()
  /** There were more kinds than are told apart. */
  isCut = false

  constructor(fromHour: number, hours: number) {
    this.#fromHour = fromHour
    this.#hours = hours
  }

  add({ hour, key, count }: HourCount): void {
    const { type, provider: group, classification } = parseKind(key)
    const figure = FIGURE_OF_TYPE.get(type)
    if (figure === undefined) return
    const at = hour - this.#fromHour
    this.#addWhole(allOf(figure), at, count)
    this.#addWhole(ofGroup(figure, group), at, count)
    if (figure === 'delivered') return
    const kind = { figure, group, classification }
    const name = nameOf(kind)
    let known = this.#failures.get(name)
    if (!known) {
      this.#makeRoom(this.#failures, ({ counts }) => sum(counts))
      known = { kind, counts: this.#zeros() }
      this.#failures.set(name, known)
    }
    known.counts[at] = (known.counts[at] ?? 0) + count
  }

  listKinds(): readonly FailureKind[] {
    return [...this.#failures.values()].map(({ kind }) => kind)
  }

  of(kind: FailureKind): HourCounts {
    const { figure, group } = kind
    const counts = this.#failures.get(nameOf(kind))?.counts ?? this.#zeros()
    return { counts, wholes: this.#sumWholes(figure, (id) => ofGroup(id, group)) }
  }

  /** Of all groups and classes. */
  ofAll(figure: FailureFigure): HourCounts {
    return { counts: this.#wholes.get(allOf(figure)) ?? this.#zeros(), wholes: this.wholesOf(figure) }
  }

  /** What all mail of the figure is a share of. */
  wholesOf(figure: FailureFigure): readonly number[] {
    return this.#sumWholes(figure, allOf)
  }

  /** Delivery attempts. */
  get attempts(): number {
    return sum(this.wholesOf('deferred'))
  }

  /** The same counts, as if every hour had had as many. */
  averaged(): KindCounts {
    const even = new KindCounts(this.#fromHour, this.#hours)
    const average = (counts: readonly number[]) => counts.map(() => sum(counts) / this.#hours)
    for (const [name, { kind, counts }] of this.#failures) even.#failures.set(name, { kind, counts: average(counts) })
    for (const [key, counts] of this.#wholes) even.#wholes.set(key, average(counts))
    return even
  }

  #sumWholes(figure: FailureFigure, keyOf: (figure: string) => string): readonly number[] {
    const parts = FIGURES[figure].shareOf.map((id) => this.#wholes.get(keyOf(id)))
    return this.#zeros().map((_, at) => sum(parts.map((counts) => counts?.[at] ?? 0)))
  }

  #addWhole(key: string, at: number, count: number): void {
    let counts = this.#wholes.get(key)
    if (!counts) {
      this.#makeRoom(this.#wholes, sum)
      counts = this.#zeros()
      this.#wholes.set(key, counts)
    }
    counts[at] = (counts[at] ?? 0) + count
  }

  /** Sums of all groups are the largest, and stay. */
  #makeRoom<Entry>(entries: Map<string, Entry>, sizeOf: (entry: Entry) => number): void {
    if (entries.size < KINDS_MAX) return
    this.isCut = true
    const sizes = [...entries].map(([key, entry]) => [key, sizeOf(entry)] as const)
    for (const [key] of sizes.sort(([, a], [, b]) => b - a).slice(KINDS_KEPT)) entries.delete(key)
  }

  #zeros(): number[] {
    return Array.from({ length: this.#hours }, () => 0)
  }
}

function nameOf({ figure, group, classification }: FailureKind): string {
  return JSON.stringify([figure, group, classification])
}

function allOf(figure: string): string {
  return figure
}

function ofGroup(figure: string, group: string): string {
  return `${figure} ${group}`
}
