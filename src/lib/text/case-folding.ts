/**
 * Unicode simple case folding: each code point maps to one code point, independent of language and context, so that a
 * substring of a text is also a substring of the folded text.
 *
 * `toLowerCase` does not have this property: it maps İ to two code points and a sigma by its neighbours. The mapping is
 * derived from the regular expression engine, which implements simple folding (flags `iu`).
 */

let representatives: Map<string, string> | undefined

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/
const MAY_FOLD = /\p{Changes_When_Casefolded}/u

/** Replaces every code point by the representative of its case folding class. */
export function foldCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  representatives ??= buildRepresentatives()
  let folded = ''
  for (const character of text) folded += representatives.get(character) ?? character
  return folded
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

function buildRepresentatives(): Map<string, string> {
  const found = new Map<string, string>(UNRELATED_BY_CASE)
  for (let code = 0x41; code <= 0x1e943; code++) {
    if (code === 0xd800) code = 0xe000
    const character = String.fromCodePoint(code)
    if (found.has(character) || !MAY_FOLD.test(character)) continue
    const representative = representativeOf(character)
    if (representative !== undefined) found.set(character, representative)
  }
  return found
}

/** A code point that matches the character under `iu`; the same for the whole class. */
function representativeOf(character: string): string | undefined {
  const matcher = new RegExp(`^\\u{${(character.codePointAt(0) ?? 0).toString(16)}}$`, 'iu')
  const upper = character.toUpperCase()
  const candidates = [upper.toLowerCase(), character.toLowerCase(), upper]
  return candidates.find((candidate) => candidate !== character && matcher.test(candidate))
}
