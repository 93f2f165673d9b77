/**
 * Unicode simple case folding: each code point maps to one code point, independent of language and context, so that a
 * substring of a text is also a substring of the folded text.
 *
 * `toLowerCase` does not have this property: it maps İ to two code points and a sigma by its neighbours. The mapping is
 * derived from the regular expression engine, which implements simple folding (flags `iu`).
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/
/** With those of UNRELATED_BY_CASE, whose full folding is no change. */
const MAY_FOLD = /[\p{Changes_When_Casefolded}\u1fbe\u1fd3\u1fe3\ufb05]/gu

/** Replaces every code point by the representative of its case folding class. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return text.replace(MAY_FOLD, (character) => representatives.get(character) ?? findRepresentative(character))
}

/** As databases do it without tables of Unicode. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

/** In CaseFolding.txt, but not related by toUpperCase or toLowerCase. */
const UNRELATED_BY_CASE: readonly [string, string][] = [
  ['\u1fbe', '\u03b9'],
  ['\u1fd3', '\u0390'],
  ['\u1fe3', '\u03b0'],
  ['\ufb05', '\ufb06'],
]

/** Of the code points so far. Those of all of Unicode would take each thread 40 ms, for texts that have a few of them. */
const representatives = new Map<string, string>(UNRELATED_BY_CASE)

function findRepresentative(character: string): string {
  const found = representativeOf(character) ?? character
  representatives.set(character, found)
  return found
}

/** A code point that matches the character under `iu`; the same for the whole class. */
function representativeOf(character: string): string | undefined {
  const matcher = new RegExp(`^\\u{${(character.codePointAt(0) ?? 0).toString(16)}}$`, 'iu')
  const upper = character.toUpperCase()
  const candidates = [upper.toLowerCase(), character.toLowerCase(), upper]
  return candidates.find((candidate) => candidate !== character && matcher.test(candidate))
}
