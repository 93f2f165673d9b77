/**
 * A row of the text index: the signatures of several messages of a domain, field by field, and the numbers of the messages.
 * Fields are separate because a search usually reads the signatures of one.
 */
import type { SqlValue } from '../database/database.ts'
import { SEARCHED_FIELDS, type SearchedField } from './text-search.ts'
import { type Signatures, wordsOf } from './text-signature.ts'

/** More signatures make fewer rows to step through, and more pages to skip for those of the last field. */
export const MESSAGES_PER_ROW = 512

export const FIELD_COLUMNS: Readonly<Record<SearchedField, string>> = {
  recipient: 'recipient',
  sender: 'sender',
  from: 'header_from',
  subject: 'subject',
}
const COLUMNS = ['numbers', ...SEARCHED_FIELDS.map((field) => FIELD_COLUMNS[field])]

export const INSERT_SIGNATURE_ROW = `
  INSERT INTO message_signature (key, ${COLUMNS.join(', ')}) VALUES (?${', ?'.repeat(COLUMNS.length)})`

/** Numbers of messages, and the signatures of each field in the order of SEARCHED_FIELDS. */
export interface SignatureRow {
  readonly numbers: Uint32Array
  readonly fields: readonly Signatures[]
}

/** SQL for the columns that `fromColumns` takes. */
export const SIGNATURE_COLUMNS = COLUMNS.join(', ')

export function fromColumns(columns: readonly Uint8Array[]): SignatureRow {
  const [numbers = new Uint32Array(), ...fields] = columns.map(toWords)
  return { numbers, fields }
}

/** In the order of COLUMNS. */
export function toColumns({ numbers, fields }: SignatureRow): readonly SqlValue[] {
  return [numbers, ...fields].map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  )
}

/** As the processor has them: those that this runs on agree on the order of bytes. */
export function toWords(column: Uint8Array): Uint32Array {
  const isAligned = column.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0
  const { buffer, byteOffset, byteLength } = isAligned ? column : new Uint8Array(column)
  return new Uint32Array(buffer, byteOffset, byteLength / Uint32Array.BYTES_PER_ELEMENT)
}

/** The same messages in as few rows as possible. */
export function joinRows(rows: readonly SignatureRow[]): readonly SignatureRow[] {
  const numbers = joinWords(rows.map((row) => row.numbers))
  const fields = SEARCHED_FIELDS.map((_, index) => joinWords(rows.map((row) => row.fields[index] ?? new Uint32Array())))
  return splitRow({ numbers, fields }, 0, numbers.length)
}

/** The messages from one index to another, in rows of bounded length. */
export function splitRow({ numbers, fields }: SignatureRow, from: number, to: number): readonly SignatureRow[] {
  const rows: SignatureRow[] = []
  for (let start = from; start < to; start += MESSAGES_PER_ROW) {
    const end = Math.min(to, start + MESSAGES_PER_ROW)
    const part = (words: number, all: Uint32Array) => all.subarray(start * words, end * words)
    rows.push({
      numbers: part(1, numbers),
      fields: SEARCHED_FIELDS.map((field, index) => part(wordsOf(field), fields[index] ?? new Uint32Array())),
    })
  }
  return rows
}

function joinWords(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
