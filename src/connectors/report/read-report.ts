/** A raw message as the report that it is: a delivery report, a complaint, or neither. */
import type { Report } from '../../reports/report.ts'
import { isAutomaticReply } from './automatic-reply.ts'
import { findDeliveryStatus, STATUS_TYPES } from './delivery-report.ts'
import { FEEDBACK_TYPES, findFeedback } from './feedback-report.ts'
import { findAddresses } from './mail-address.ts'
import { findMailDate } from './mail-date.ts'
import { type MimeMessage, parseMime } from './mime-message.ts'
import { findPlainReport } from './plain-report.ts'
import { findReturnedPart, readReturned } from './returned-message.ts'

/** Where mail servers write down whom they delivered to; then the header that people read. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to']

/** Throws AppError `invalid_payload` for what cannot be taken apart, or is about too many. */
export function readReport(message: Uint8Array): Report {
  const mime = parseMime(message)
  const about = {
    sentTo: [...new Set(RECIPIENT_HEADERS.flatMap((name) => mime.headers(name)).flatMap(findAddresses))],
    times: findTimes(mime),
  }
  const returnedText = findReturnedPart(mime.parts)?.text() ?? ''
  const status = findStatus(mime)
  if (status) return { kind: 'delivery', ...about, ...status, returned: readReturned(returnedText) }
  const feedback = findFeedback(findFeedbackFields(mime), returnedText)
  if (feedback) {
    const { sender, ...rest } = feedback
    return { kind: 'feedback', ...about, ...rest, returned: readReturned(returnedText, sender) }
  }
  const plain = findPlainReport(mime)
  if (plain) {
    const { returned, ...rest } = plain
    return { kind: 'delivery', ...about, ...rest, returned: readReturned(returnedText || returned) }
  }
  return { kind: isAutomaticReply(mime) ? 'reply' : 'unknown', ...about, returned: readReturned(returnedText) }
}

/** By its type, or by its fields where a server calls it plain text. */
function findStatus({ parts, text }: MimeMessage) {
  const part = parts.find(({ type }) => STATUS_TYPES.includes(type))
  if (part) return findDeliveryStatus(part.text())
  return /^(?:final|original)-recipient[ \t]*:/im.test(text) ? findDeliveryStatus(text) : undefined
}

function findFeedbackFields({ parts, text }: MimeMessage): string | undefined {
  const part = parts.find(({ type }) => FEEDBACK_TYPES.includes(type))
  return part?.text() ?? (/^feedback-type[ \t]*:/im.test(text) ? text : undefined)
}

/** The last server on the way wrote the first Received. */
function findTimes({ headers }: MimeMessage): readonly number[] {
  const [received = ''] = headers('received')
  const texts = [headers('date')[0], received.slice(received.lastIndexOf(';') + 1)]
  return texts.map(findMailDate).filter((time) => time !== undefined)
}
