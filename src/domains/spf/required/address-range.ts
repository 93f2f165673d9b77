/** Set operations on address ranges of one family. */
import { type IpNetwork, widthOf } from '../../ip-address.ts'

export interface AddressRange {
  readonly first: bigint
  readonly last: bigint
}

export function rangeOf({ address, prefixLength }: IpNetwork): AddressRange {
  const hostBits = BigInt(widthOf(address.family) - prefixLength)
  const first = (address.bits >> hostBits) << hostBits
  return { first, last: first + (1n << hostBits) - 1n }
}

export function intersectRanges(
  ranges: readonly AddressRange[],
  others: readonly AddressRange[],
): readonly AddressRange[] {
  return subtractRanges(ranges, subtractRanges(ranges, others))
}

export function subtractRanges(
  ranges: readonly AddressRange[],
  others: readonly AddressRange[],
): readonly AddressRange[] {
  return others.reduce<readonly AddressRange[]>(
    (left, { first, last }) =>
      left.flatMap((range) => {
        if (last < range.first || first > range.last) return [range]
        const before = { first: range.first, last: first - 1n }
        const after = { first: last + 1n, last: range.last }
        return [before, after].filter((rest) => rest.first <= rest.last)
      }),
    ranges,
  )
}
