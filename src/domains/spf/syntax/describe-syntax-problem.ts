/** Describes a syntax error of an SPF record, for the person who published it. */
import { printable } from '../../printable-text.ts'
import { splitJoined } from './joined-terms.ts'
import { type SpfSyntaxProblem, SYNTAX_TEXTS } from './spf-syntax-error.ts'

/** What a misspelled mechanism was probably meant to be. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['redirect', ' Write redirect= with an equals sign.'],
  ['exp', ' Write exp= with an equals sign.'],
  ['ip', ' Write ip4: or ip6:.'],
  ['v=spf1', ' The version appears only once, at the beginning.'],
])

export function describeSyntaxProblem({ code, at, term, text }: SpfSyntaxProblem): string {
  const joined = splitJoined(term)
  if (joined) return `"${printable(term)}" lacks a space between ${listQuoted(joined)}.`
  const described = SYNTAX_TEXTS[code](`"${printable(term)}"`, `"${printable(text)}"`, `at character ${at + 1}`)
  return `${described}${findHint(code, term, text)}`
}

function findHint(code: SpfSyntaxProblem['code'], term: string, text: string): string {
  const last = term.slice(-1)
  if (last === ';' || last === ',') return ` Terms are separated by spaces only: remove the "${last}" at the end.`
  // `include: spf.example` and `ip4: 192.0.2.1`.
  if (term.endsWith(':')) return ' There must not be a space after the colon.'
  return code === 'unknown_mechanism' ? (HINTS.get(text.toLowerCase()) ?? '') : ''
}

/** Maximum number of joined terms to list. */
const TERMS_MAX = 4

/** "a" and "b". */
export function listQuoted(terms: readonly string[]): string {
  const more = terms.length - TERMS_MAX
  const shown = terms.slice(0, TERMS_MAX).map((term) => `"${printable(term)}"`)
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' and ')
}
