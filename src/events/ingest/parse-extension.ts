/**
 * Checks what mail servers report beyond the fields of the interface. A value that is not valid is left out: the event itself says
 * what happened, and must not be lost for it.
 */
import { canonicalAddress } from '../../lib/net/canonical-address.ts'
import { Recent } from '../../lib/recent.ts'
import { type EventExtension, OTHER_ORIGINS } from '../event.ts'

const NAME_LENGTH_MAX = 255
/** Unicode's category Cc. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are searched for
const CONTROL = /[\x00-\x1f\x7f-\x9f]/
/** No mail server keeps a message for longer. */
const RETRY_SECONDS_MAX = 30 * 24 * 3600

/** Few addresses send most mail. */
const ADDRESSES_KEPT = 1000
const addresses = new Recent<{ readonly canonical: string | undefined }>(ADDRESSES_KEPT)

/** Undefined if nothing of it is valid. `timestamp`: of the event. */
export function parseExtension(
  told: Readonly<Partial<Record<keyof EventExtension, unknown>>> | undefined,
  timestamp: number,
): EventExtension | undefined {
  if (told === undefined) return undefined
  const extension: { -readonly [Field in keyof EventExtension]: EventExtension[Field] } = {}
  // Only our own tracking endpoints set these two; they are checked there.
  if (typeof told.url === 'string') extension.url = told.url
  if (typeof told.machine === 'string') extension.machine = told.machine
  const address = findAddress(told.sending_address)
  if (address !== undefined) extension.sending_address = address
  if (isName(told.sending_source)) extension.sending_source = told.sending_source
  if (isName(told.sending_pool)) extension.sending_pool = told.sending_pool
  if (isNextAttempt(told.next_attempt, timestamp)) extension.next_attempt = told.next_attempt
  return Object.keys(extension).length > 0 ? extension : undefined
}

function findAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > NAME_LENGTH_MAX) return undefined
  return addresses.findOrKeep(value, () => ({ canonical: canonicalAddress(value) })).canonical
}

function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > NAME_LENGTH_MAX || value === OTHER_ORIGINS)
    return false
  return value.isWellFormed() && !CONTROL.test(value)
}

function isNextAttempt(value: unknown, timestamp: number): value is number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false
  return value >= timestamp && value <= timestamp + RETRY_SECONDS_MAX
}
