/** Text in the form in which phrases are compared: lower case, no accents, single spaces. */

const ACCENTS = /[\u0300-\u036f]/g
const APOSTROPHES = /[\u2018\u2019\u201b\u0060\u00b4]/g

/** One character may become eighteen. */
const LENGTH_MAX = 8000

export function foldText(text: string): string {
  const isPlain = /^[\t\r\n\x20-\x7e]*$/.test(text)
  const simple = isPlain ? text : text.replaceAll(APOSTROPHES, "'").normalize('NFKD').replaceAll(ACCENTS, '')
  return simple.slice(0, LENGTH_MAX).replaceAll(/\s+/g, ' ').toLowerCase().trim()
}

/**
 * One pattern for phrases of one language. They are folded like the text; `~` stands for a few words in between, so that
 * the patterns stay linear.
 */
export function phrases(...list: readonly string[]): RegExp {
  const folded = list.map((phrase) => foldText(phrase).replaceAll('~', '.{0,40}?'))
  return new RegExp(folded.join('|'))
}

/** Where the first of the phrases is; undefined if there is none. */
export function findPhrase(text: string, patterns: readonly RegExp[]): number | undefined {
  let first: number | undefined
  for (const pattern of patterns) {
    const at = text.search(pattern)
    if (at !== -1 && (first === undefined || at < first)) first = at
  }
  return first
}

export function hasPhrase(text: string, patterns: readonly RegExp[]): boolean {
  return patterns.some((pattern) => pattern.test(text))
}
