/** The limits of a key as a request states them. When it expires is a duration from now, or a time. */
import { AppError } from '../../../lib/app-error.ts'
import { DURATION_FORM, parseDuration } from '../../../lib/duration.ts'
import { known } from '../../../lib/known.ts'
import type { KeyChange } from '../../../tenants/limits/key-limits.ts'
import { show } from '../../request/show.ts'
import { parseIsoTime } from '../iso-time.ts'

interface AskedLimits {
  readonly name?: string
  readonly expires?: string | null
  readonly networks?: readonly string[]
}

/** Throws AppError `invalid_request`. */
export function toKeyChange({ name, expires, networks }: AskedLimits, nowMs: number): KeyChange {
  return known({ name, networks, expiresAtMs: typeof expires === 'string' ? parseExpiry(expires, nowMs) : expires })
}

function parseExpiry(text: string, nowMs: number): number {
  if (/^\d{4}-/.test(text)) return parseIsoTime('expires', text)
  try {
    return nowMs + parseDuration(text)
  } catch {
    throw new AppError(
      'invalid_request',
      `Invalid expires: ${show(text)} is not a duration or a time. Allowed: ${DURATION_FORM}, or a time such as 2027-01-31T12:00:00Z.`,
    )
  }
}
