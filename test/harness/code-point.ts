/** Characters of random texts: any of Unicode. */
import fc from 'fast-check'

const SURROGATES = 0xd800
const SURROGATES_COUNT = 0x800

/**
 * `fc.string({ unit: codePoint })` makes the same texts as `unit: 'binary'`, which first makes a table of all of Unicode: more than a second
 * of processor time in every process.
 */
export const codePoint: fc.Arbitrary<string> = fc.nat({ max: 0x10_ffff - SURROGATES_COUNT }).map(toCharacter, toIndex)

function toCharacter(index: number): string {
  return String.fromCodePoint(index < SURROGATES ? index : index + SURROGATES_COUNT)
}

/** Throws if it is not one character. */
function toIndex(text: unknown): number {
  const code = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1
  const index = code < SURROGATES ? code : code - SURROGATES_COUNT
  if (index < 0 || toCharacter(index) !== text) throw new Error('not a character')
  return index
}
