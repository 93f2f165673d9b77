/** Takes a message out of a day's text index. */
import type { Database } from '../database/database.ts'
import { domainOfMessageKey, numberOfMessageKey, toMessageKey } from '../days/message-key.ts'
import {
  fromColumns,
  INSERT_SIGNATURE_ROW,
  SIGNATURE_COLUMNS,
  type SignatureRow,
  toColumns,
  toWords,
} from './signature-row.ts'
import { SEARCHED_FIELDS } from './text-search.ts'
import { wordsOf } from './text-signature.ts'

/** Rows have the key of their last message, so most messages are in the first row from their own key on; compaction may have moved some. */
const LATER_ROWS = 'SELECT key FROM message_signature WHERE key >= ? AND key < ? ORDER BY key'
const EARLIER_ROWS = 'SELECT key FROM message_signature WHERE key >= ? AND key < ? ORDER BY key DESC'

/** Does nothing for a message that is not in the index. */
export function removeSignature(db: Database, messageKey: number): void {
  const domain = domainOfMessageKey(messageKey)
  const number = numberOfMessageKey(messageKey)
  const keys = [
    ...db.allArrays<[number]>(LATER_ROWS, messageKey, toMessageKey(domain + 1, 0)),
    ...db.allArrays<[number]>(EARLIER_ROWS, toMessageKey(domain, 0), messageKey),
  ]
  for (const [key] of keys) {
    const numbers = db.get<{ numbers: Uint8Array }>('SELECT numbers FROM message_signature WHERE key = ?', key)?.numbers
    const index = numbers ? toWords(numbers).indexOf(number) : -1
    if (index < 0) continue
    rewriteRow(db, domain, key, index)
    return
  }
}

function rewriteRow(db: Database, domain: number, key: number, index: number): void {
  const columns = db.allArrays<Uint8Array[]>(`SELECT ${SIGNATURE_COLUMNS} FROM message_signature WHERE key = ?`, key)[0]
  if (!columns) return
  const rest = withoutMessage(fromColumns(columns), index)
  db.run('DELETE FROM message_signature WHERE key = ?', key)
  const last = rest.numbers.at(-1)
  if (last !== undefined) db.run(INSERT_SIGNATURE_ROW, toMessageKey(domain, last), ...toColumns(rest))
}

function withoutMessage({ numbers, fields }: SignatureRow, index: number): SignatureRow {
  return {
    numbers: without(numbers, index, 1),
    fields: SEARCHED_FIELDS.map((field, at) => without(fields[at] ?? new Uint32Array(), index, wordsOf(field))),
  }
}

function without(all: Uint32Array, index: number, words: number): Uint32Array {
  const rest = new Uint32Array(all.length - words)
  rest.set(all.subarray(0, index * words))
  rest.set(all.subarray((index + 1) * words), index * words)
  return rest
}
