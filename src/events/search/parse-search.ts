/** What a search asks for. Shared by the server and the console: pure, and without imports of either. */
import type { EventType } from '../event.ts'
import { findProblem, findType, OPERATORS, type OperatorName } from './operators.ts'
import { type SearchTerm, splitSearch } from './search-terms.ts'

/** Where a text may occur. */
type TextField = 'recipient' | 'sender' | 'from' | 'subject'

export interface SearchedText {
  readonly text: string
  /** In one of these fields; undefined: in any, or as the message's whole id. */
  readonly fields?: readonly TextField[]
}

/** Every list may be empty. Values are as they were written, except types. */
export interface SearchConditions {
  readonly texts: readonly SearchedText[]
  readonly answers: readonly string[]
  readonly ids: readonly string[]
  readonly types: readonly EventType[]
  readonly codes: readonly string[]
  readonly domains: readonly string[]
  readonly providers: readonly string[]
  readonly classifications: readonly string[]
  readonly sendingAddresses: readonly string[]
  readonly sendingSources: readonly string[]
  readonly sendingPools: readonly string[]
}

export interface ParsedSearch {
  /** All texts must occur; of the other lists an event needs one value each. */
  readonly wanted: SearchConditions
  /** None of them may apply. */
  readonly unwanted: SearchConditions
}

export interface SearchProblem {
  /** A sentence that names the part. */
  readonly problem: string
  /** Where it is in the search, from inclusive, to exclusive. */
  readonly from: number
  readonly to: number
}

/** A search beyond it is a text that was pasted by mistake, and every term is compared with every event. */
export const TERMS_MAX = 20

type Lists = { -readonly [name in keyof SearchConditions]: SearchConditions[name][number][] }

export function parseSearch(text: string): ParsedSearch | SearchProblem {
  const { terms, unclosedAt } = splitSearch(text)
  if (unclosedAt !== undefined) {
    const to = text.length
    return { problem: `${show(text.slice(unclosedAt))}: the quotation mark is not closed.`, from: unclosedAt, to }
  }
  const wanted = emptyLists()
  const unwanted = emptyLists()
  let count = 0
  for (const term of terms) {
    const { from, to, operator, isExcluded } = term
    const part = show(text.slice(from, to))
    const values = valuesOf(term)
    if (operator && values.length === 0) {
      const { example } = OPERATORS[operator]
      return { problem: `${part}: the value is missing. Example: ${operator}:${example}.`, from, to }
    }
    for (const value of values) {
      count++
      const problem = operator && findProblem(operator, value, part)
      if (problem) return { problem, from, to }
      add(isExcluded ? unwanted : wanted, operator, value)
    }
    if (count > TERMS_MAX) {
      return { problem: `${part}: too many terms. A search has at most ${TERMS_MAX}.`, from, to }
    }
  }
  if (new Set(wanted.ids).size > 1) {
    return { problem: 'id: can be used only once, as an event belongs to one message.', from: 0, to: text.length }
  }
  return { wanted, unwanted }
}

function emptyLists(): Lists {
  return {
    texts: [],
    answers: [],
    ids: [],
    types: [],
    codes: [],
    domains: [],
    providers: [],
    classifications: [],
    sendingAddresses: [],
    sendingSources: [],
    sendingPools: [],
  }
}

/** Quoted, a comma is part of the value. */
function valuesOf({ operator, value, isQuoted }: SearchTerm): readonly string[] {
  const isList = operator !== undefined && OPERATORS[operator].isList && !isQuoted
  return (isList ? value.split(',') : [value]).filter((each) => each !== '')
}

function add(lists: Lists, operator: OperatorName | undefined, value: string): void {
  switch (operator) {
    case undefined:
      return void lists.texts.push({ text: value })
    case 'to':
      return void lists.texts.push({ text: value, fields: ['recipient'] })
    case 'from':
      return void lists.texts.push({ text: value, fields: ['from', 'sender'] })
    case 'sender':
    case 'subject':
      return void lists.texts.push({ text: value, fields: [operator] })
    case 'answer':
      return void lists.answers.push(value)
    case 'type':
      return void lists.types.push(findType(value) as EventType)
    case 'code':
      return void lists.codes.push(value)
    case 'domain':
      return void lists.domains.push(value)
    case 'provider':
      return void lists.providers.push(value)
    case 'class':
      return void lists.classifications.push(value)
    case 'id':
      return void lists.ids.push(value)
    case 'ip':
      return void lists.sendingAddresses.push(value)
    case 'source':
      return void lists.sendingSources.push(value)
    case 'pool':
      return void lists.sendingPools.push(value)
  }
}

const SHOWN_MAX = 60

/** A part of the search in a message: bounded, on one line. */
function show(part: string): string {
  const line = part.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').trimEnd()
  return line.length <= SHOWN_MAX ? line : `${line.slice(0, SHOWN_MAX)}…`
}
