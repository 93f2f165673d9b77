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
const NO_SPACE = /\S/
/** Word processors write them differently, and not always in pairs. */
const OPENING = /["“”„]/
const CLOSING = /["“”]/
const OPERATOR = /^([^:]{1,20}):/
const BRACKETED = /<([^<>@]+@[^<>@]+)>[,;]?$/

export function splitSearch(text: string): SplitSearch {
  const terms: SearchTerm[] = []
  let at = find(NO_SPACE, text, 0)
  while (at < text.length) {
    const from = at
    const isExcluded = text[at] === '-' && isWordAt(text, at + 1)
    if (isExcluded) at++
    const operator = readOperator(text, at)
    // A header as it is copied has a space after its name.
    if (operator) at = find(NO_SPACE, text, at + operator.length)
    const about = { operator: operator?.name, isExcluded, from }
    if (OPENING.test(text.charAt(at))) {
      const end = find(CLOSING, text, at + 1)
      const to = Math.min(end + 1, text.length)
      push(terms, { ...about, isQuoted: true, isBracketed: false, to, value: text.slice(at + 1, end) })
      if (end === text.length) return { terms, unclosedAt: at }
      at = to
    } else {
      const to = find(SPACE, text, at)
      readRun(terms, text.slice(at, to), { ...about, to })
      at = to
    }
    at = find(NO_SPACE, text, at)
  }
  return { terms }
}

function isWordAt(text: string, at: number): boolean {
  const next = text[at]
  return next !== undefined && next !== '-' && !SPACE.test(next)
}

/** An unknown name is not an operator: `Re:` and `https:` are words. */
function readOperator(text: string, at: number): { readonly name: OperatorName; readonly length: number } | undefined {
  const [whole = '', written = ''] = OPERATOR.exec(text.slice(at)) ?? []
  const name = findOperator(written)
  return name && { name, length: whole.length }
}

type Unread = Pick<SearchTerm, 'operator' | 'isExcluded' | 'from' | 'to'>

/** A run of characters without a space: a word, an address, or a name with an address at its end. */
function readRun(terms: SearchTerm[], run: string, about: Unread): void {
  const { operator } = about
  const mayBeAddress = operator === undefined || operator === 'id' || OPERATORS[operator].isAddress
  const [, address] = (mayBeAddress ? BRACKETED.exec(run) : undefined) ?? []
  const isBracketed = address !== undefined
  const value = withoutMailto(address ?? (run.includes('@') ? run.replace(/[,;]$/, '') : run))
  push(terms, { ...about, value, isQuoted: false, isBracketed })
}

/** The address of a link, without what it fills into the message. */
function withoutMailto(text: string): string {
  if (!/^mailto:/i.test(text)) return text
  const address = text.slice('mailto:'.length).replace(/\?.*$/s, '')
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
  if (before && isOfOperator && !before.value.includes('@')) {
    terms[terms.length - 1] = { ...before, value: term.value, isBracketed: true, to: term.to }
  } else terms.push({ ...term, from })
}

function isName(term: SearchTerm | undefined): boolean {
  return term !== undefined && term.operator === undefined && !term.isExcluded && !term.isBracketed
}

/** Where the next character of a kind is; the length of the text if there is none. */
function find(kind: RegExp, text: string, from: number): number {
  const distance = text.slice(from).search(kind)
  return distance < 0 ? text.length : from + distance
}
