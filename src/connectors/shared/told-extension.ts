/** What a source reports beyond the fields of the interface. A value that is not valid is left out; it never rejects the event. */
import type { EventExtension } from '../../events/event.ts'
import { canonicalAddress } from '../../lib/net/canonical-address.ts'
import { asRecord } from './untrusted.ts'

/** Unchecked, by the names of EventExtension. */
export type ReportedExtension = {
  readonly [name in 'sending_address' | 'sending_source' | 'sending_pool' | 'next_attempt']?: unknown
}

/** Longer names are not names. */
const NAME_LENGTH_MAX = 255

/** Such as the year 5138: what is beyond must be milliseconds. */
const TIME_END = 100_000_000_000

/** A property of ToldEvent, or nothing if no value is valid. */
export function toldExtension(reported: unknown): { readonly extension?: EventExtension } {
  const { sending_address, sending_source, sending_pool, next_attempt }: ReportedExtension = asRecord(reported)
  const address = typeof sending_address === 'string' ? canonicalAddress(sending_address) : undefined
  const source = nameOf(sending_source)
  const pool = nameOf(sending_pool)
  const time = timeOf(next_attempt)
  const extension = {
    ...(address !== undefined && { sending_address: address }),
    ...(source !== undefined && { sending_source: source }),
    ...(pool !== undefined && { sending_pool: pool }),
    ...(time !== undefined && { next_attempt: time }),
  }
  return Object.keys(extension).length === 0 ? {} : { extension }
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > NAME_LENGTH_MAX || !value.isWellFormed()) return undefined
  const name = value.trim()
  return name === '' || /\p{Cc}/u.test(name) ? undefined : name
}

function timeOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) > 0 && Number(value) < TIME_END ? Number(value) : undefined
}
