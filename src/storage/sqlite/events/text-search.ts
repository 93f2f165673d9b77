/**
 * Substring search over the texts of messages: letter case ignored, nothing in a needle has a meaning.
 *
 * The trigram index of a day answers which messages may match; a look at the texts decides. Every indexed text starts
 * with a token of its domain, so that a needle that is common elsewhere is still rare within a small domain.
 */
import { foldCase } from '../../../lib/case-folding.ts'
import type { Database, SqlValue } from '../database.ts'

export interface TextFilters {
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
}

const COLUMNS = { recipient: 'recipient', sender: 'sender', from: 'header_from', subject: 'subject' } as const
const NEEDLE_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

/** Private-use code points carry a domain number as a token: three of them make one trigram. */
const PRIVATE_USE = 0xe000
const TOKEN_BITS = 12
const TOKEN_MASK = 2 ** TOKEN_BITS - 1

/** More trigrams than this make a query slower, not sharper: each one's list has to be read. */
const TRIGRAMS_PER_NEEDLE_MAX = 6

const JOINED_TEXTS =
  "recipient || char(10) || ifnull(sender, '') || char(10) || ifnull(header_from, '') || char(10) || ifnull(subject, '')"

/** SQL: the text that the index holds for a row of `message`. Must agree with `matchExpression`. */
export const INDEXED_TEXT = `
  char(${PRIVATE_USE} + ((domain >> ${2 * TOKEN_BITS}) & ${TOKEN_MASK}),
       ${PRIVATE_USE} + ((domain >> ${TOKEN_BITS}) & ${TOKEN_MASK}),
       ${PRIVATE_USE} + (domain & ${TOKEN_MASK}))
  || CASE plain WHEN 1 THEN lower(${JOINED_TEXTS}) ELSE fold_for_index(${JOINED_TEXTS}) END`

/** FTS5's trigram tokenizer stops reading at NUL, so another character stands for it in the index and in its queries. */
function foldForIndex(text: string): string {
  return foldCase(text).replaceAll('\0', '\uFFFD')
}

/** The functions that the SQL of this module calls. */
export function defineTextFunctions(db: Database): void {
  db.defineTextFunction('fold_case', foldCase)
  db.defineTextFunction('fold_for_index', foldForIndex)
}

export interface TextCondition {
  /** SQL over a row of `message m`, joined by AND; empty when there is no text filter. */
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The literal test on the message itself. */
export function textCondition(filters: TextFilters): TextCondition {
  const names = NEEDLE_NAMES.filter((name) => filters[name] !== undefined)
  const tests = names.map((name) => {
    const column = `m.${COLUMNS[name]}`
    return `instr(CASE m.plain WHEN 1 THEN lower(${column}) ELSE fold_case(${column}) END, ?) > 0`
  })
  return { sql: tests.join(' AND '), values: names.map((name) => foldCase(filters[name] ?? '')) }
}

/** The index query for the filters; undefined when no needle is long enough to have a trigram. */
export function matchExpression(domainNumber: number, filters: TextFilters): string | undefined {
  const trigrams = NEEDLE_NAMES.flatMap((name) => selectTrigrams(foldForIndex(filters[name] ?? '')))
  if (trigrams.length === 0) return undefined
  return [...new Set([...trigrams, domainToken(domainNumber)])].map(quote).join(' AND ')
}

function domainToken(domainNumber: number): string {
  const parts = [2, 1, 0].map((place) => Math.floor(domainNumber / 2 ** (place * TOKEN_BITS)) & TOKEN_MASK)
  return String.fromCodePoint(...parts.map((part) => PRIVATE_USE + part))
}

/** Trigrams that lie apart rather than overlap, the last one included: fewer lists for about the same selectivity. */
function selectTrigrams(folded: string): string[] {
  const characters = [...folded]
  const last = characters.length - 3
  if (last < 0) return []
  const step = Math.max(1, Math.ceil(last / (TRIGRAMS_PER_NEEDLE_MAX - 1)))
  const starts: number[] = []
  for (let start = 0; start < last; start += step) starts.push(start)
  return [...starts, last].map((start) => characters.slice(start, start + 3).join(''))
}

function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`
}
