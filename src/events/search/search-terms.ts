/**
 * Splits what people type or paste into a search: words, quoted texts, `operator:value`, `-` before what must not occur, and
 * addresses as mail programs copy them (`Anna <anna@example.org>`, `mailto:`). Every character is examined a bounded number of times.
 */
import { findOperator, OPERATORS, type OperatorName } from './operators.ts'

/** One part of a search. */
export interface SearchTerm {
  /** Undefined: the value may occur in any of the fields. */
  readonly operator: OperatorName | undefined
  /** Empty if only the operator was written. */
  readonly value: string
  readonly isExcluded: boolean
  readonly isQuoted: boolean
  /** It was in angle brackets: an address or a Message-ID. */
  readonly isBracketed: boolean
  /** Where it is in the search, from inclusive, to exclusive. */
  readonly from: number
  readonly to: number
}

export interface SplitSearch {
  readonly terms: readonly SearchTerm[]
  /** Where a quotation mark was opened that is not closed. The rest of the search is its text. */
  readonly unclosedAt?: number
}

const SPACE = /\s/
/** Word processors write them differently, and not always in pairs. */
const OPENING = '"“”„'
const CLOSING = '"“”'
const OPERATOR_LENGTH_MAX = 20
const BRACKETED = /^<([^<>@]+@[^<>@]+)>[,;]?$/

export function splitSearch(text: string): SplitSearch {
  const terms: SearchTerm[] = []
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const from = at
    const isExcluded = text[at] === '-' && isWordAt(text, at + 1)
    if (isExcluded) at++
    const operator = readOperator(text, at)
    // A header as it is copied has a space after its name.
    if (operator) at = skipSpace(text, at + operator.length)
    const about = { operator: operator?.name, isExcluded, from }
    if (at < text.length && OPENING.includes(text[at] as string)) {
      const end = findClosing(text, at + 1)
      const to = end === undefined ? text.length : end + 1
      const quoted = { ...about, isQuoted: true, isBracketed: false, to }
      push(terms, { ...quoted, value: text.slice(at + 1, end ?? to) })
      if (end === undefined) return { terms, unclosedAt: at }
      at = to
    } else {
      const to = findSpace(text, at)
      readRun(terms, text.slice(at, to), { ...about, to })
      at = to
    }
    at = skipSpace(text, at)
  }
  return { terms }
}

function isWordAt(text: string, at: number): boolean {
  const next = text[at]
  return next !== undefined && next !== '-' && !SPACE.test(next)
}

/** An unknown name is not an operator: `Re:` and `https:` are words. */
function readOperator(text: string, at: number): { readonly name: OperatorName; readonly length: number } | undefined {
  const colon = text.slice(at, at + OPERATOR_LENGTH_MAX).indexOf(':')
  const name = colon < 1 ? undefined : findOperator(text.slice(at, at + colon))
  return name && { name, length: colon + 1 }
}

type Unread = Pick<SearchTerm, 'operator' | 'isExcluded' | 'from' | 'to'>

/** A run of characters without a space: a word, an address, or a name with an address at its end. */
function readRun(terms: SearchTerm[], run: string, about: Unread): void {
  const { operator } = about
  const mayBeAddress = operator === undefined || operator === 'id' || OPERATORS[operator].isAddress
  const bracket = mayBeAddress ? run.lastIndexOf('<') : -1
  const [, address] = (bracket < 0 ? undefined : BRACKETED.exec(run.slice(bracket))) ?? []
  const isBracketed = address !== undefined
  const value = withoutMailto(address ?? (run.includes('@') ? run.replace(/[,;]$/, '') : run))
  push(terms, { ...about, value, isQuoted: false, isBracketed })
}

/** The address of a link, without what it fills into the message. */
function withoutMailto(text: string): string {
  if (!/^mailto:/i.test(text)) return text
  const address = text.slice('mailto:'.length).split('?', 1)[0] ?? ''
  try {
    return decodeURIComponent(address) || text
  } catch {
    return address
  }
}

/** The words before an address in angle brackets are its name: recipients are stored without one. */
function push(terms: SearchTerm[], term: SearchTerm): void {
  if (!term.isBracketed || term.operator !== undefined || term.isExcluded) {
    terms.push(term)
    return
  }
  let { from } = term
  while (isName(terms.at(-1))) from = terms.pop()?.from ?? from
  const before = terms.at(-1)
  const isOfOperator = before?.operator !== undefined && OPERATORS[before.operator].isAddress
  if (before && isOfOperator && !before.isBracketed && !before.value.includes('@')) {
    terms[terms.length - 1] = { ...before, value: term.value, isBracketed: true, to: term.to }
  } else terms.push({ ...term, from })
}

function isName(term: SearchTerm | undefined): boolean {
  return term !== undefined && term.operator === undefined && !term.isExcluded && !term.isBracketed
}

function findClosing(text: string, from: number): number | undefined {
  for (let at = from; at < text.length; at++) if (CLOSING.includes(text[at] as string)) return at
  return undefined
}

function findSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && !SPACE.test(text[at] as string)) at++
  return at
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && SPACE.test(text[at] as string)) at++
  return at
}
