/** The record format of SQLite: the values of a row. https://sqlite.org/fileformat2.html#record_format */
import type { SqlValue } from '../database/database.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws RangeError or TypeError if the bytes are not exactly one record of whole numbers, texts and blobs. */
export function decodeRecord(bytes: Buffer): readonly SqlValue[] {
  const headerEnd = readVarint(bytes, 0)
  const values: SqlValue[] = []
  let body = headerEnd.value
  for (let at = headerEnd.end; at < headerEnd.value; ) {
    const type = readVarint(bytes, at)
    at = type.end
    if (at > headerEnd.value) throw new RangeError('the header ends within a type')
    const length = lengthOf(type.value)
    values.push(decodeValue(type.value, bytes.subarray(body, body + length)))
    body += length
  }
  if (body !== bytes.length) throw new RangeError('the values are longer or shorter than the record')
  return values
}

/** Number of bytes of a value, by its serial type; not a number for a type that no table of ours has: then the sum is wrong. */
function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2)
  return [0, 1, 2, 3, 4, 6, 8, Number.NaN, 0, 0][type] ?? Number.NaN
}

function decodeValue(type: number, bytes: Buffer): SqlValue {
  if (type >= 12) return type % 2 === 0 ? Uint8Array.from(bytes) : utf8.decode(bytes)
  if (type === 0) return null
  if (type >= 8) return type - 8
  if (bytes.length < 8) return bytes.readIntBE(0, bytes.length)
  const large = Number(bytes.readBigInt64BE(0))
  if (!Number.isSafeInteger(large)) throw new RangeError('the number is too large')
  return large
}

/** Up to nine bytes, the highest first. Throws RangeError for a number that is negative or too large, and beyond the end. */
export function readVarint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } {
  let value = 0
  for (let index = 0; index < 8; index++) {
    const byte = bytes.readUInt8(at + index)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return { value, end: at + index + 1 }
    if (value > 2 ** 46) throw new RangeError('the number is too large')
  }
  throw new RangeError('the number is too large')
}
