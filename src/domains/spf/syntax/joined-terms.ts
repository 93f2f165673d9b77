/**
 * Two terms of an SPF record without the space between them. Most come from a value of several strings, which DNS joins
 * without a separator (RFC 7208 3.3): `"… include:a.example" "include:b.example …"`.
 */
import { parseTerm } from './parse-term.ts'
import { SpfSyntaxError } from './spf-syntax-error.ts'

export interface JoinedTerms {
  /** Two or more, as they were meant. */
  readonly terms: readonly string[]
  /** Offset of the second one in characters from the beginning of the record. */
  readonly at: number
}

/**
 * Where a term begins in the middle of another. A host name has no ":" or "=", and no top-level domain ends in "-all", so
 * this is never part of a name that exists.
 */
const BEGINNING = /[+\-?~]?(?:include|exists|ip4|ip6|ptr|mx|a):|(?:redirect|exp)=|[+\-?~]all$|v=spf1$/gi

/** `at`: the offset of the term in the record. Undefined if the text is one term, or if the parts are not terms. */
export function splitJoined(text: string, at: number): JoinedTerms | undefined {
  const cuts = [...text.matchAll(BEGINNING)].map(({ index }) => index).filter((index) => index > 0)
  const [first] = cuts
  if (first === undefined) return undefined
  const terms = [0, ...cuts].map((from, index) => text.slice(from, cuts[index]))
  return terms.every(isTerm) ? { terms, at: at + first } : undefined
}

function isTerm(text: string): boolean {
  try {
    parseTerm(text, 0)
    return true
  } catch (error) {
    if (error instanceof SpfSyntaxError) return false
    throw error
  }
}

/** All joined terms of a record, in its order. */
export function listJoined(record: string): readonly JoinedTerms[] {
  const terms = [...record.matchAll(/[^ ]+/g)].slice(1)
  return terms.flatMap(({ 0: text, index }) => splitJoined(text, index) ?? [])
}
