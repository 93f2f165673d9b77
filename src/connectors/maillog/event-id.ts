/** Ids for messages of servers whose own ids are short or reused: the same message always gets the same id. */
import { hash } from 'node:crypto'

/** A UUID version 8 (RFC 9562 section 5.8) derived from the parts. See docs/decisions/0012. */
export function eventId(...parts: readonly (string | number)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer')
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x80
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
