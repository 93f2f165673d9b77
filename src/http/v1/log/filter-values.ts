/** Values of filters that are written in several ways. Throws AppError `invalid_request`. */
import type { CodeRange } from '../../../events/log/log-query.ts'
import { AppError } from '../../../lib/app-error.ts'
import { canonicalAddress } from '../../../lib/net/canonical-address.ts'
import { show } from '../../request/show.ts'

/** As events have it. */
export function toAddress(text: string): string {
  const address = canonicalAddress(text)
  if (address !== undefined) return address
  throw new AppError('invalid_request', `Invalid sending_address: ${show(text)}. Allowed: an IP address.`)
}

/** `550`, `4xx`, `55x` or `400-499`. */
export function toCodeRange(text: string): CodeRange {
  const [first = '', last = first] = text.toLowerCase().split('-')
  const range = { from: Number(first.replaceAll('x', '0')), to: Number(last.replaceAll('x', '9')) }
  if (range.from <= range.to) return range
  throw new AppError(
    'invalid_request',
    `Invalid code: the range ${text} ends before it begins. Allowed: a range such as 400-499.`,
  )
}
