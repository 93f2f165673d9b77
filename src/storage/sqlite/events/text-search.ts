/**
 * Substring search over the texts of messages: letter case ignored, nothing in a needle has a meaning.
 *
 * The trigram index of a day answers which messages may match; a look at the texts decides. Every indexed text starts
 * with a token of its domain, so that a needle that is common elsewhere is still rare within a small domain.
 */
import { foldCase } from '../../../lib/case-folding.ts'
import type { Database, SqlValue } from '../database.ts'
import { DOMAIN_OF_MESSAGE, NUMBER_OF_MESSAGE } from './message-key.ts'

export interface TextFilters {
  readonly recipient?: string
  readonly sender?: string
  readonly from?: string
  readonly subject?: string
}

const COLUMNS = {
  recipient: 'm.recipient',
  sender: 'm.sender',
  from: '(SELECT header_from FROM mailing WHERE key = m.mailing)',
  subject: 'm.subject',
} as const
const NEEDLE_NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[]

/** Private-use code points carry a domain number as a token: three of them make one trigram. */
const PRIVATE_USE = 0xe000
const TOKEN_BITS = 12
const TOKEN_MASK = 2 ** TOKEN_BITS - 1

const JOINED_TEXTS =
  "m.recipient || char(10) || ifnull(m.sender, '') || char(10) || ifnull(l.header_from, '') || char(10) || ifnull(m.subject, '')"

/** SQL: number and text of messages as the index holds them. Value: the keys of the messages as a JSON array. */
export const SELECT_INDEXED_TEXT = `
  SELECT ${NUMBER_OF_MESSAGE}, char(${PRIVATE_USE} + ((${DOMAIN_OF_MESSAGE} >> ${2 * TOKEN_BITS}) & ${TOKEN_MASK}),
      ${PRIVATE_USE} + ((${DOMAIN_OF_MESSAGE} >> ${TOKEN_BITS}) & ${TOKEN_MASK}),
      ${PRIVATE_USE} + (${DOMAIN_OF_MESSAGE} & ${TOKEN_MASK}))
    || iif(m.plain, lower(${JOINED_TEXTS}), fold_for_index(${JOINED_TEXTS})) AS text
  FROM json_each(?) k CROSS JOIN message m ON m.key = k.value CROSS JOIN mailing l ON l.key = m.mailing`

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
  /** SQL over `message m`, joined by AND; empty when there is no text filter. */
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The literal test on the message itself. */
export function textCondition(filters: TextFilters): TextCondition {
  const names = NEEDLE_NAMES.filter((name) => filters[name] !== undefined)
  const tests = names.map((name) => {
    const column = COLUMNS[name]
    return `instr(iif(m.plain, lower(${column}), fold_case(${column})), ?) > 0`
  })
  return { sql: tests.join(' AND '), values: names.map((name) => foldCase(filters[name] ?? '')) }
}

/** The needles as the index knows them; those too short to have a trigram are left out. */
export function indexedNeedles(filters: TextFilters): readonly string[] {
  return NEEDLE_NAMES.map((name) => foldForIndex(filters[name] ?? '')).filter(
    (needle) => Array.from(needle).length >= 3,
  )
}

/** The index query for messages that have all of the trigrams and, where it is given, are of the domain. */
export function matchExpression(trigrams: readonly string[], domainNumber?: number): string {
  const tokens = domainNumber === undefined ? trigrams : [...trigrams, domainToken(domainNumber)]
  return [...new Set(tokens)].map(quote).join(' AND ')
}

function domainToken(domainNumber: number): string {
  const parts = [2, 1, 0].map((place) => Math.floor(domainNumber / 2 ** (place * TOKEN_BITS)) & TOKEN_MASK)
  return String.fromCodePoint(...parts.map((part) => PRIVATE_USE + part))
}

function quote(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`
}
