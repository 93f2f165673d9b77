/**
 * Events by their masked reply. The words of the mask are compared first, by SQLite itself: masking a text takes as long as comparing
 * some hundred rows.
 */
import { maskReply } from '../../../events/replies/mask-reply.ts'
import { literalsOf } from '../../../events/replies/reply-filter.ts'
import type { Database } from '../database/database.ts'
import type { Condition } from './log-search.ts'

/** The function that the SQL of this module calls. */
export function defineReplyFunction(db: Database): void {
  db.defineTextFunction('mask_reply', (content) => toStored(maskReply(fromStored(content))))
}

export function replyTest(mask: string): Condition {
  const words = literalsOf(mask).map(toStored)
  const tests = [...words.map(() => 'instr(e.content, ?) > 0'), 'mask_reply(e.content) = ?']
  return { sql: `(${tests.join(' AND ')})`, values: [...words, toStored(mask)] }
}

/** As it is between the quotation marks of JSON: without control characters, which functions would be called without. */
function toStored(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function fromStored(content: string): string {
  return content.includes('\\') ? (JSON.parse(`"${content}"`) as string) : content
}
