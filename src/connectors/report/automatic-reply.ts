/** Replies that programs send to whatever comes: absences, receipts, challenges (RFC 3834). They say nothing about delivery. */
import type { MimeMessage } from './mime-message.ts'

const MARKS: readonly (readonly [string, RegExp])[] = [
  ['auto-submitted', /^auto-(?:replied|generated|notified)\b/i],
  ['x-autoreply', /./],
  ['x-autorespond', /./],
  ['x-auto-response-suppress', /./],
  ['precedence', /^auto[_-]?reply\b/i],
]

/** Reports have the same marks. One whose format is not understood must not be taken for a reply. */
const LOOKS_LIKE_REPORT =
  /mailer-daemon|postmaster|deliver|bounce|fail(?:ed|ure)|returned|rejected|unzustellbar|rebut|devuelt|mail system/i

export function isAutomaticReply(mime: MimeMessage): boolean {
  const isMarked = MARKS.some(([name, pattern]) => mime.headers(name).some((value) => pattern.test(value)))
  const isReport = ['from', 'subject', 'content-type'].some((name) =>
    mime.headers(name).some((value) => LOOKS_LIKE_REPORT.test(value) || value.includes('multipart/report')),
  )
  return isMarked && !isReport
}
