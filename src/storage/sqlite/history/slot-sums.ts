/** Adds up packed counts by key and slot, for the events that a query wants. */
import { type SeriesQuery, writeKind } from '../../../stats/series.ts'
import { typeNumber } from '../days/stored-codes.ts'
import type { CountsReader } from './packed-counts.ts'

/** `key`: a type, provider, classification, domain or kind, as the day files have it. */
export type AddCount = (hour: number, key: number | string, count: number) => void

export class SlotSums {
  readonly #slots: number
  readonly #group: SeriesQuery['group']
  readonly #types: readonly number[] | undefined
  readonly #providers: readonly string[] | undefined
  readonly #classifications: readonly string[] | undefined
  /** By period and key; the last one is nearly always the next. */
  readonly #periods = new Map<number, Map<number | string, Float64Array>>()
  #period = -1
  #byKey = new Map<number | string, Float64Array>()

  constructor(slots: number, { group, filters: { types, providers, classifications } }: SeriesQuery) {
    this.#slots = slots
    this.#group = group
    this.#types = types?.map(typeNumber)
    this.#providers = providers
    this.#classifications = classifications
  }

  /** The count that the reader is at. False if the texts that it needs are left out. */
  add(period: number, domain: number, { slot, type, provider, classification, count }: CountsReader): boolean {
    if (this.#types && !this.#types.includes(type)) return true
    const group = this.#group
    const isOfText = group === 'provider' || group === 'classification' || group === 'kind'
    let key: number | string = group === 'type' ? type : domain
    if (isOfText || this.#providers || this.#classifications) {
      if (provider === undefined || classification === undefined) return false
      if (this.#providers && !this.#providers.includes(provider)) return true
      if (this.#classifications && !this.#classifications.includes(classification)) return true
      if (group === 'kind') key = writeKind(type, provider, classification)
      else if (isOfText) key = group === 'provider' ? provider : classification
    }
    const counts = this.#countsOf(period, key)
    counts[slot] = (counts[slot] ?? 0) + count
    return true
  }

  /** `hours`: of one slot. */
  addTo(add: AddCount, hours: number): void {
    for (const [period, byKey] of this.#periods) {
      for (const [key, counts] of byKey) {
        for (let slot = 0; slot < counts.length; slot++) {
          const count = counts[slot] ?? 0
          if (count > 0) add((period * this.#slots + slot) * hours, key, count)
        }
      }
    }
  }

  #countsOf(period: number, key: number | string): Float64Array {
    if (period !== this.#period) {
      this.#period = period
      this.#byKey = this.#periods.get(period) ?? new Map()
      this.#periods.set(period, this.#byKey)
    }
    let counts = this.#byKey.get(key)
    if (!counts) {
      counts = new Float64Array(this.#slots)
      this.#byKey.set(key, counts)
    }
    return counts
  }
}
