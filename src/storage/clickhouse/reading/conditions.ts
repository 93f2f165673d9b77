/** Filters and domains as conditions on the columns of `event`. */
import type { CodeRange, LogExclusions, LogFilters, TextFilter } from '../../../events/log/log-query.ts'
import { literalsOf } from '../../../events/replies/reply-filter.ts'
import { foldCase, lowerAscii } from '../../../lib/text/case-folding.ts'
import { containsPattern, literal, literalList, numberSet } from '../literals.ts'
import { NO_CODE, typeNumber } from '../rows/event-row.ts'
import { SEARCHED_FIELDS, type SearchedField, searchedText } from '../rows/searched-text.ts'

/** Joined by AND; empty if every event is wanted. Filters of masked replies are only narrowed down here: `replyTestOf` decides. */
export function toConditions(filters: LogFilters): readonly string[] {
  const { types, codes, providers, classifications, anyText, messageId, texts = [], answers = [], replies } = filters
  const given = [
    types && `type IN ${literalList(types.map(typeNumber))}`,
    codes && anyOf(codes.map(codeTest)),
    providers && `provider IN ${literalList(providers)}`,
    classifications && `classification IN ${literalList(classifications)}`,
    ...originConditions(filters),
    messageId !== undefined && `id = ${literal(messageId)}`,
    anyText !== undefined && anyTextTest({ text: anyText, fields: SEARCHED_FIELDS, ids: [anyText] }),
    ...byLength(texts).map(anyTextTest),
    ...answers.map(answerTest),
    replies && anyOf(replies.map(replyTest)),
    ...SEARCHED_FIELDS.map((field) => {
      const needle = filters[field]
      return needle !== undefined && textTest(field, needle)
    }),
    ...exclusions(filters.without ?? {}).map((condition) => `NOT (${condition})`),
  ]
  return given.filter((condition) => typeof condition === 'string')
}

function exclusions(without: LogExclusions): readonly string[] {
  const { types, codes, providers, classifications, texts = [], answers = [] } = without
  const given = [
    types && `type IN ${literalList(types.map(typeNumber))}`,
    codes && anyOf(codes.map(codeTest)),
    providers && `provider IN ${literalList(providers)}`,
    classifications && `classification IN ${literalList(classifications)}`,
    ...originConditions(without),
    ...texts.map(anyTextTest),
    ...answers.map(answerTest),
  ]
  return given.filter((condition) => typeof condition === 'string')
}

/** The longest first: it is the rarest, and the others are compared with what is left. */
function byLength(texts: readonly TextFilter[]): readonly TextFilter[] {
  return texts.toSorted((a, b) => b.text.length - a.text.length)
}

function anyTextTest({ text, fields, ids = [] }: TextFilter): string {
  return anyOf([...fields.map((field) => textTest(field, text)), ...ids.map((id) => `id = ${literal(id)}`)])
}

/** `lower` of the server knows ASCII alone. */
function answerTest(answer: string): string {
  return `lower(response_content) LIKE ${containsPattern(lowerAscii(answer))}`
}

/** What the reply has to contain. The exact test, also of unwanted replies, is made on the rows found. */
function replyTest(mask: string): string {
  const words = literalsOf(mask).map((word) => `response_content LIKE ${containsPattern(word)}`)
  return `(${["response_content != ''", ...words].join(' AND ')})`
}

type OriginFilters = Pick<LogFilters, 'sendingAddresses' | 'sendingSources' | 'sendingPools'>

/** Of `event` and of `sending_hour`: address, source and pool in one text. An event without an origin has none of them. */
export function originConditions({ sendingAddresses, sendingSources, sendingPools }: OriginFilters): readonly string[] {
  return [sendingAddresses, sendingSources, sendingPools].flatMap((wanted, index) =>
    wanted ? [`(origin != '' AND ${originPart(index)} IN ${literalList(wanted)})`] : [],
  )
}

/** 0: address, 1: source, 2: pool. */
export function originPart(index: number): string {
  return `splitByChar('\\n', origin)[${index + 1}]`
}

export function domainCondition(numbers: readonly number[]): string {
  const [only] = numbers
  return numbers.length === 1 && only !== undefined
    ? `domain = ${literal(only)}`
    : `domain IN ${numberSet('UInt32', numbers)}`
}

function codeTest({ from, to }: CodeRange): string {
  return from === to
    ? `response_code = ${literal(from)}`
    : `(response_code >= ${literal(from)} AND response_code <= ${literal(Math.min(to, NO_CODE - 1))})`
}

function textTest(field: SearchedField, needle: string): string {
  return `${searchedText(field)} LIKE ${containsPattern(foldCase(needle))}`
}

function anyOf(conditions: readonly string[]): string {
  return `(${conditions.join(' OR ')})`
}
