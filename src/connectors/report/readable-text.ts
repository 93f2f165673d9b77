/** Prepares untrusted text for an event: one line, without control characters, of limited length. */

const LENGTH_MAX = 4000

/** Anything other than printable ASCII with single spaces. */
const UNUSUAL = /[^ -~]| {2}/

/** Undefined if nothing is left. */
export function readableText(text: string | undefined): string | undefined {
  const start = (text ?? '').slice(0, LENGTH_MAX)
  const line = UNUSUAL.test(start) ? start.toWellFormed().replaceAll(/[\p{Cc}\s]+/gu, ' ') : start
  return line.trim() || undefined
}
