/** Numbers that look random and are the same for the same seed: sfc32 by Chris Doty-Humphrey (PractRand), 128 bits of state. */

export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number
  /** A whole number from 0 up to, not including, `below`. */
  below(below: number): number
  /** A whole number, both ends included. */
  between(low: number, high: number): number
  isLucky(probability: number): boolean
  pick<T>(items: readonly T[]): T
  pickWeighted<T extends { readonly weight: number }>(items: readonly T[]): T
  /** The same for long lists from which is picked often: the weights are added up once. */
  weightedPicker<T extends { readonly weight: number }>(items: readonly T[]): () => T
  /** Waiting times: most are short, a few are long. */
  exponential(mean: number): number
  hex(digits: number): string
}

export function createSeededRandom(seed: number): SeededRandom {
  const next = sfc32(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  const pick = <T>(items: readonly T[]): T => at(items, below(items.length))
  return {
    next,
    below,
    between: (low, high) => low + below(high - low + 1),
    isLucky: (probability) => next() < probability,
    pick,
    pickWeighted(items) {
      let rest = next() * items.reduce((sum, item) => sum + item.weight, 0)
      const index = items.findIndex((item) => {
        rest -= item.weight
        return rest < 0
      })
      return at(items, index === -1 ? items.length - 1 : index)
    },
    weightedPicker(items) {
      const sums = addUp(items.map((item) => item.weight))
      return () => at(items, firstAbove(sums, next() * (sums.at(-1) ?? 0)))
    },
    exponential: (mean) => -mean * Math.log(1 - next()),
    hex(digits) {
      let text = ''
      while (text.length < digits) text += below(0x1_0000_0000).toString(16).padStart(8, '0')
      return text.slice(0, digits)
    },
  }
}

function addUp(weights: readonly number[]): Float64Array {
  let sum = 0
  return Float64Array.from(weights, (weight) => {
    sum += weight
    return sum
  })
}

/** The place of the first of the growing numbers that is above the value; the last place when none is. */
function firstAbove(numbers: Float64Array, value: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError('cannot pick from an empty list')
  return item
}

function sfc32(seed: number): () => number {
  let a = 0x9e3779b9
  let b = 0x243f6a88
  let c = seed | 0
  let counter = 1
  const step = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return (sum >>> 0) / 0x1_0000_0000
  }
  // The first outputs still show the seed.
  for (let round = 0; round < 16; round++) step()
  return step
}
