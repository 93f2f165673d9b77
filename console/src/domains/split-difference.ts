/** Where two texts part, and where they come together again. */

/** The part before that is the same, the part that differs, the part behind that is the same. */
type Parts = readonly [string, string, string]

export function splitDifference(wanted: string, found: string): { readonly wanted: Parts; readonly found: Parts } {
  const [one, other] = [[...wanted], [...found]]
  const start = countSame(one, other)
  const end = countSame(one.slice(start).toReversed(), other.slice(start).toReversed())
  const split = (letters: readonly string[]): Parts => [
    letters.slice(0, start).join(''),
    letters.slice(start, letters.length - end).join(''),
    letters.slice(letters.length - end).join(''),
  ]
  return { wanted: split(one), found: split(other) }
}

function countSame(one: readonly string[], other: readonly string[]): number {
  let count = 0
  while (count < one.length && count < other.length && one[count] === other[count]) count++
  return count
}
