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

/** One pass over both in order: each of thousands of networks would cut what the others have left into more pieces. */
export function subtractRanges(
  ranges: readonly AddressRange[],
  others: readonly AddressRange[],
): readonly AddressRange[] {
  const cuts = others.toSorted(compareStarts)
  const left: AddressRange[] = []
  let skipped = 0
  for (const { first, last } of ranges.toSorted(compareStarts)) {
    // Ranges do not overlap each other, so cuts that end before this one starts do not concern the rest either.
    let cut = cuts[skipped]
    while (cut && cut.last < first) cut = cuts[++skipped]
    let start = first
    for (let index = skipped; cut && cut.first <= last; cut = cuts[++index]) {
      if (cut.first > start) left.push({ first: start, last: cut.first - 1n })
      if (cut.last >= start) start = cut.last + 1n
    }
    if (start <= last) left.push({ first: start, last })
  }
  return left
}

function compareStarts(one: AddressRange, other: AddressRange): number {
  return one.first < other.first ? -1 : 1
}
