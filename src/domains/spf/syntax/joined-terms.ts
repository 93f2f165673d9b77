/**
 * Two terms of an SPF record without the space between them. Most come from a value of several strings, which DNS joins
 * without a separator (RFC 7208 3.3): `"… include:a.example" "include:b.example …"`.
 */
import { readSpfRecord } from './spf-record.ts'

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

/** The terms, two or more. Undefined if the text is one term, or if the parts are not terms. */
export function splitJoined(text: string): readonly string[] | undefined {
  const cuts = [...text.matchAll(BEGINNING)].map(({ index }) => index).filter((index) => index > 0)
  const terms = [0, ...cuts].map((from, index) => text.slice(from, cuts[index]))
  return terms.length > 1 && terms.every(isTerm) ? terms : undefined
}

function isTerm(text: string): boolean {
  return readSpfRecord(`v=spf1 ${text}`).problems.length === 0
}

/** All joined terms of a record, in its order. */
export function listJoined(record: string): readonly JoinedTerms[] {
  return [...record.matchAll(/[^ ]+/g)].flatMap(({ 0: text, index }) => {
    const terms = splitJoined(text)
    return terms ? [{ terms, at: index + (terms[0]?.length ?? 0) }] : []
  })
}
