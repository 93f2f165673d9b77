/**
 * Letter case ignored the way Unicode's simple case folding does it: one code point stands for one code point, in any
 * language and without context, so that a substring of a text is also a substring of the folded text.
 *
 * `toLowerCase` is not that: it turns İ into two code points and looks at a sigma's neighbours. The classes are taken
 * from the regular expression engine, which implements simple folding (flags `iu`).
 */

let representatives: Map<string, string> | undefined

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ASCII = /^[\x00-\x7f]*$/
const MAY_FOLD = /\p{Changes_When_Casefolded}/u

/** Every code point replaced by the representative of those it equals when letter case is ignored. */
export function foldCase(text: string): string {
  if (isPlainAscii(text)) return text.toLowerCase()
  representatives ??= buildRepresentatives()
  let folded = ''
  for (const character of text) folded += representatives.get(character) ?? character
  return folded
}

/** True when lower-casing A to Z is all that folding does to the text. */
export function isPlainAscii(text: string): boolean {
  return ASCII.test(text)
}

/** Folded by Unicode's CaseFolding.txt although neither the upper nor the lower case of one leads to the other. */
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

/** The single code point that matches the character under `iu` and that the whole class agrees on. */
function representativeOf(character: string): string | undefined {
  const matcher = new RegExp(`^\\u{${(character.codePointAt(0) ?? 0).toString(16)}}$`, 'iu')
  const upper = character.toUpperCase()
  const candidates = [upper.toLowerCase(), character.toLowerCase(), upper]
  return candidates.find((candidate) => candidate !== character && matcher.test(candidate))
}
