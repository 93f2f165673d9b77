/** Describes a syntax error of an SPF record, for the person who published it. */
import { printable } from '../../printable-text.ts'
import { type SpfSyntaxProblem, SYNTAX_TEXTS } from './spf-syntax-error.ts'

/** What a misspelled mechanism was probably meant to be. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['redirect', ' Write redirect= with an equals sign.'],
  ['exp', ' Write exp= with an equals sign.'],
  ['ip', ' Write ip4: or ip6:.'],
  ['v=spf1', ' The version appears only once, at the beginning.'],
])

export function describeSyntaxProblem({ code, at, term, text }: SpfSyntaxProblem): string {
  const described = SYNTAX_TEXTS[code](`"${printable(term)}"`, `"${printable(text)}"`, `at character ${at + 1}`)
  return code === 'unknown_mechanism' ? `${described}${HINTS.get(text.toLowerCase()) ?? ''}` : described
}
