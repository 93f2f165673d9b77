/** Counts over time as two arrays: many objects would take longer to copy between the threads than to count. */
import type { HourCount } from '../../../stats/series.ts'

export interface PackedSeries {
  readonly keys: readonly string[]
  /** Of each count its hour, the index of its key, and the count. */
  readonly numbers: Float64Array
}

const FIELDS = 3

export class SeriesPack {
  readonly #toText: (key: number | string) => string
  readonly #keys = new Map<number | string, number>()
  readonly #numbers: number[] = []

  constructor(toText: (key: number | string) => string) {
    this.#toText = toText
  }

  get size(): number {
    return this.#numbers.length / FIELDS
  }

  add(hour: number, key: number | string, count: number): void {
    let index = this.#keys.get(key)
    if (index === undefined) {
      index = this.#keys.size
      this.#keys.set(key, index)
    }
    this.#numbers.push(hour, index, count)
  }

  finish(): PackedSeries {
    return { keys: [...this.#keys.keys()].map(this.#toText), numbers: Float64Array.from(this.#numbers) }
  }
}

export function unpackSeries({ keys, numbers }: PackedSeries): readonly HourCount[] {
  const counts: HourCount[] = []
  for (let at = 0; at < numbers.length; at += FIELDS) {
    counts.push({ hour: numbers[at] ?? 0, key: keys[numbers[at + 1] ?? 0] ?? '', count: numbers[at + 2] ?? 0 })
  }
  return counts
}
