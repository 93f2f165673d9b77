/** An SPF record as text and as terms, with all its syntax errors (RFC 7208 4.5, 4.6 and 12). */
import { parseTerm } from './parse-term.ts'
import { SpfSyntaxError, type SpfSyntaxProblem } from './spf-syntax-error.ts'
import type { SpfTerm } from './spf-term.ts'

export interface SpfRecord {
  readonly text: string
  /** The valid terms, in the order of the record. */
  readonly terms: readonly SpfTerm[]
  /** RFC 7208 4.6: a single one makes receivers reject the whole record, whichever term matches first. */
  readonly problems: readonly SpfSyntaxProblem[]
}

const VERSION = 'v=spf1'
/** One is enough to invalidate a record; the rest of it is not read. */
const PROBLEMS_MAX = 100

/** RFC 7208 4.5: the version, in any letter case, followed by a space or the end; other TXT records are ignored. */
export function isSpfRecord(text: string): boolean {
  return /^v=spf1(?: |$)/i.test(text)
}

/** For a text that passes `isSpfRecord`; never throws. RFC 7208 4.6.1: only spaces separate terms. */
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
      if (problems.length === PROBLEMS_MAX) break
    }
  }
  return { text, terms, problems }
}

/** RFC 7208 6: `redirect` and `exp` may appear only once. */
function requireFirst(term: SpfTerm, before: readonly SpfTerm[]): SpfTerm {
  const isRepeated = (term.kind === 'redirect' || term.kind === 'exp') && before.some(({ kind }) => kind === term.kind)
  if (isRepeated) throw new SpfSyntaxError('repeated_modifier', 0, term.text)
  return term
}
