/** Detects automatic replies (RFC 3834): absences, receipts, challenges. They are not about delivery. */
import type { MimeMessage } from './mime/mime-message.ts'

const MARKS: readonly (readonly [string, RegExp])[] = [
  ['auto-submitted', /^auto-(?:replied|generated|notified)\b/i],
  ['x-autoreply', /./],
  ['x-autorespond', /./],
  ['x-auto-response-suppress', /./],
  ['precedence', /^auto[_-]?reply\b/i],
]

/** Bounce messages have the same marks. One in an unknown format must not be taken for an automatic reply. */
const LOOKS_LIKE_REPORT =
  /mailer-daemon|postmaster|deliver|bounce|fail(?:ed|ure)|returned|rejected|unzustellbar|rebut|devuelt|mail system/i

export function isAutomaticReply(mime: MimeMessage): boolean {
  const isMarked = MARKS.some(([name, pattern]) => mime.headers(name).some((value) => pattern.test(value)))
  const isReport = ['from', 'subject', 'content-type'].some((name) =>
    mime.headers(name).some((value) => LOOKS_LIKE_REPORT.test(value) || value.includes('multipart/report')),
  )
  return isMarked && !isReport
}
