/**
 * The identity of a message within a day: 24 bits of a hash of its id, then 24 of a hash of its other fields. All messages
 * with an id are in one range of the index. It need not be unique: rows with the same number are compared field by field.
 */
import { hash } from 'node:crypto'

/** Numbers that the lower half of an identity can have. */
const DETAILS = 2 ** 24

/** Messages with an id have identities from the first (inclusive) to the second (exclusive). */
export function identityRange(idHash: number): readonly [number, number] {
  return [idHash * DETAILS, (idHash + 1) * DETAILS]
}

/** The upper half of an identity. */
export function idHashOf(identity: number): number {
  return Math.floor(identity / DETAILS)
}

export function identityOf(id: string, details: string): number {
  return hashId(id) * DETAILS + (hashBits(details) >>> 8)
}

/** 24 bits. Tenants choose ids, so many ids with the same hash must be hard to find. */
export function hashId(id: string): number {
  return hashBits(id) >>> 8
}

/** 32 bits. Native code hashes a text of this length faster than a loop here could read it. */
export function hashBits(text: string): number {
  const bytes = hash('sha256', text, 'binary')
  const high = (bytes.charCodeAt(0) << 8) | bytes.charCodeAt(1)
  return ((high << 16) | (bytes.charCodeAt(2) << 8) | bytes.charCodeAt(3)) >>> 0
}
