/**
 * Substring search over the texts of messages: letter case is ignored, and no character of the needle is special.
 * Signatures say which messages may match (text-signature.ts); the SQL of this module checks the texts themselves.
 */
import type { TextFilter } from '../../../events/log/log-query.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import type { Database, SqlValue } from '../database/database.ts'

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
  /** SQL over `message m`. */
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** The literal tests on the message itself, each of which finds the text. */
export function textTests({ text, fields, ids = [] }: TextFilter): readonly TextCondition[] {
  const folded = foldCase(text)
  return [
    ...fields.map((field) => {
      const column = COLUMNS[field]
      return { sql: `instr(iif(m.plain, lower(${column}), fold_case(${column})), ?) > 0`, values: [folded] }
    }),
    ...ids.map((id) => ({ sql: 'm.id = ?', values: [id] })),
  ]
}
