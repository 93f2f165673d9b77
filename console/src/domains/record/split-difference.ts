/** Splits two texts at the first and the last difference. */

/** The common beginning, the difference, the common end. */
type Parts = readonly [string, string, string]

export function splitDifference(required: string, found: string): { readonly required: Parts; readonly found: Parts } {
  const [one, other] = [[...required], [...found]]
  const start = countSame(one, other)
  const end = countSame(one.slice(start).toReversed(), other.slice(start).toReversed())
  const split = (characters: readonly string[]): Parts => [
    characters.slice(0, start).join(''),
    characters.slice(start, characters.length - end).join(''),
    characters.slice(characters.length - end).join(''),
  ]
  return { required: split(one), found: split(other) }
}

function countSame(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((character, index) => character !== other[index])
  return different === -1 ? one.length : different
}
