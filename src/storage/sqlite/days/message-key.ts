/**
 * The key of a message: its domain, then its number within the day. Rows of a domain lie together, so that a page of it reads
 * few pages of the file; the number alone is what events and the search index refer to.
 */
import type { Database } from '../database/database.ts'

const NUMBER_BITS = 28
const NUMBERS = 2 ** NUMBER_BITS

/** SQL over `message m`. */
export const DOMAIN_OF_MESSAGE = `(m.key >> ${NUMBER_BITS})`
export const NUMBER_OF_MESSAGE = `(m.key & ${NUMBERS - 1})`

/** SQL over `event e`: joins the message of each event. */
export const JOIN_MESSAGE = `CROSS JOIN message m ON m.key = ${messageKey('e.domain', 'e.message')}`

/** SQL: the key from expressions of its parts. */
export function messageKey(domain: string, number: string): string {
  return `(${domain} << ${NUMBER_BITS} | ${number})`
}

export function toMessageKey(domain: number, number: number): number {
  const key = domain * NUMBERS + number
  if (number >= NUMBERS || !Number.isSafeInteger(key)) {
    throw new RangeError(`a day cannot have a message ${number} of domain ${domain}`)
  }
  return key
}

export function domainOfMessageKey(key: number): number {
  return Math.floor(key / NUMBERS)
}

export function numberOfMessageKey(key: number): number {
  return key % NUMBERS
}

/** Numbers are given out in order of arrival and without gaps, so the last one counts them. */
export function countMessages(db: Database): number {
  return db.number('SELECT message FROM day')
}
