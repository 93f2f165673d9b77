/**
 * Substring search over the texts of messages: letter case is ignored, and no character of the needle is special.
 * Signatures say which messages may match (text-signature.ts); the SQL of this module checks the texts themselves.
 */
import { foldCase } from '../../../lib/text/case-folding.ts'
import type { Database, SqlValue } from '../database/database.ts'

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
export type SearchedField = keyof typeof COLUMNS
export const SEARCHED_FIELDS = Object.keys(COLUMNS) as readonly SearchedField[]

/** The functions that the SQL of this module calls. */
export function defineTextFunctions(db: Database): void {
  db.defineTextFunction('fold_case', foldCase)
}

export interface TextCondition {
  /** SQL over `message m`, joined by AND; empty when there is no text filter. */
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The literal test on the message itself. */
export function textCondition(filters: TextFilters): TextCondition {
  const names = SEARCHED_FIELDS.filter((name) => filters[name] !== undefined)
  const tests = names.map((name) => {
    const column = COLUMNS[name]
    return `instr(iif(m.plain, lower(${column}), fold_case(${column})), ?) > 0`
  })
  return { sql: tests.join(' AND '), values: names.map((name) => foldCase(filters[name] ?? '')) }
}
