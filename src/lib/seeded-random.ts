/** A seeded pseudo-random number generator: sfc32 by Chris Doty-Humphrey (PractRand), 128 bits of state. */

interface Weighted {
  readonly weight: number
}

export type SeededRandom = ReturnType<typeof createSeededRandom>

export function createSeededRandom(seed: number) {
  const next = sfc32(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  /** Like pickWeighted, but adds up the weights once: for long lists and many picks. */
  const weightedPicker = <T extends Weighted>(items: readonly T[]) => {
    const sums = addUp(items.map((item) => item.weight))
    return () => at(items, firstAbove(sums, next() * (sums.at(-1) ?? 0)))
  }
  return {
    /** From 0 (inclusive) to 1 (exclusive). */
    next,
    /** An integer from 0 (inclusive) to the limit (exclusive). */
    below,
    /** An integer, both ends inclusive. */
    between: (low: number, high: number) => low + below(high - low + 1),
    isLucky: (probability: number) => next() < probability,
    pick: <T>(items: readonly T[]): T => at(items, below(items.length)),
    pickWeighted: <T extends Weighted>(items: readonly T[]): T => weightedPicker(items)(),
    weightedPicker,
    /** Exponentially distributed, such as waiting times. */
    exponential: (mean: number) => -mean * Math.log(1 - next()),
    hex(digits: number): string {
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

/** The index of the first of the ascending numbers above the value, or the last index. */
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
  // The first outputs still correlate with the seed.
  for (let round = 0; round < 16; round++) step()
  return step
}
