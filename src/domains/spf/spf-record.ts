/** An SPF record as text and as terms, with everything that is wrong about its syntax (RFC 7208 sections 4.5, 4.6, 12). */
import { parseTerm } from './parse-term.ts'
import { SpfSyntaxError, type SpfSyntaxProblem } from './spf-syntax-error.ts'
import type { SpfTerm } from './spf-term.ts'

export interface SpfRecord {
  readonly text: string
  /** Those that can be read, in the order of the record. */
  readonly terms: readonly SpfTerm[]
  /** Section 4.6: a single one makes receivers reject the whole record, whichever term matches first. */
  readonly problems: readonly SpfSyntaxProblem[]
}

const VERSION = 'v=spf1'

/** Section 4.5: the version is followed by a space or the end, in any letter case; other TXT records do not count. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/** Of a text that `isSpfRecord`; never throws. Section 4.6.1: terms are separated by one space or more, and by nothing else. */
export function readSpfRecord(text: string): SpfRecord {
  const terms: SpfTerm[] = []
  const problems: SpfSyntaxProblem[] = []
  for (const { 0: term, index } of text.slice(VERSION.length).matchAll(/[^ ]+/g)) {
    const at = VERSION.length + index
    try {
      terms.push(requireFirst(parseTerm(term, at), terms))
    } catch (error) {
      if (!(error instanceof SpfSyntaxError)) throw error
      problems.push({ code: error.code, at: at + error.at, text: error.text, term })
    }
  }
  return { text, terms, problems }
}

/** Section 6: `redirect` and `exp` stand in a record once. */
function requireFirst(term: SpfTerm, before: readonly SpfTerm[]): SpfTerm {
  const isRepeated = (term.kind === 'redirect' || term.kind === 'exp') && before.some(({ kind }) => kind === term.kind)
  if (isRepeated) throw new SpfSyntaxError('repeated_modifier', 0, term.text)
  return term
}
