import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readIpAddress } from '../../ip-address.ts'
import { type AddressRange, intersectRanges, rangeOf, subtractRanges } from './address-range.ts'

function range(text: string, prefixLength: number): readonly [first: string, last: string] {
  const address = readIpAddress(text)
  assert.ok(address)
  const { first, last } = rangeOf({ address, prefixLength })
  return [first.toString(16), last.toString(16)]
}

test('a network is all addresses that begin with its prefix', () => {
  for (const [text, prefixLength, first, last] of [
    ['192.0.2.77', 24, 'c0000200', 'c00002ff'],
    ['192.0.2.77', 32, 'c000024d', 'c000024d'],
    ['192.0.2.77', 0, '0', 'ffffffff'],
    ['192.0.2.77', 25, 'c0000200', 'c000027f'],
    ['2001:db8::1', 32, `20010db8${'0'.repeat(24)}`, `20010db8${'f'.repeat(24)}`],
    ['::1', 128, '1', '1'],
  ] as const) {
    assert.deepEqual(range(text, prefixLength), [first, last])
  }
})

const rangeList = fc
  .uniqueArray(fc.nat(24), { maxLength: 12 })
  .map((bounds) => bounds.toSorted((a, b) => a - b))
  // Pairs of a sorted list do not overlap.
  .map((bounds) =>
    bounds.flatMap((first, index) =>
      index % 2 === 0 ? [{ first: BigInt(first), last: BigInt(bounds[index + 1] ?? first) }] : [],
    ),
  )

const overlapping = fc.array(
  fc.tuple(fc.nat(24), fc.nat(8)).map(([first, length]) => ({ first: BigInt(first), last: BigInt(first + length) })),
  { maxLength: 6 },
)

function members(ranges: readonly AddressRange[]): readonly number[] {
  return Array.from({ length: 40 }, (_, number) => number).filter((number) =>
    ranges.some(({ first, last }) => first <= number && number <= last),
  )
}

test('what is left and what is common are those of the single addresses, in any order', () => {
  fc.assert(
    fc.property(rangeList, overlapping, fc.boolean(), (ranges, others, isReversed) => {
      const own = isReversed ? ranges.toReversed() : ranges
      const [mine, theirs] = [members(ranges), new Set(members(others))]
      const left = subtractRanges(own, others)
      assert.deepEqual(
        members(left),
        mine.filter((number) => !theirs.has(number)),
      )
      assert.deepEqual(
        members(intersectRanges(own, others)),
        mine.filter((number) => theirs.has(number)),
      )
      assert.ok(left.every(({ first, last }) => first <= last))
    }),
    { numRuns: 500 },
  )
})

test('thousands of ranges and others are read about once each', () => {
  let read = 0
  const every = (from: bigint) => Array.from({ length: 2000 }, (_, index) => from + BigInt(4 * index))
  const others = every(2n).map((first) => ({
    first,
    get last() {
      read++
      return first
    },
  }))
  const left = subtractRanges(
    every(0n).map((first) => ({ first, last: first + 2n })),
    others,
  )
  assert.equal(left.length, 2000)
  assert.ok(read < 20_000, `${read} times`)
})
