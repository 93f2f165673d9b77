/** A raw message as the report that it is: a delivery report, a complaint, or neither. */
import type { Report } from '../../reports/report.ts'
import { readHeaders } from '../header-text.ts'
import { isAutomaticReply } from './automatic-reply.ts'
import { findDeliveryStatus, STATUS_TYPES } from './delivery-report.ts'
import { FEEDBACK_TYPES, findFeedback } from './feedback-report.ts'
import { findAddresses } from './mail-address.ts'
import { findMailDate } from './mail-date.ts'
import { type MimeMessage, parseMime } from './mime-message.ts'
import { findPlainReport } from './plain-report.ts'
import { findReturnedPart, toReturned } from './returned-message.ts'

/** Where mail servers write down whom they delivered to; then the header that people read. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to']

/** Throws AppError `invalid_payload` for what cannot be taken apart, or is about too many. */
export function readReport(message: Uint8Array): Report {
  const mime = parseMime(message)
  const about = { sentTo: findRecipients(mime), times: findTimes(mime) }
  const returnedText = findReturnedPart(mime.parts)?.text() ?? ''
  const returned = readHeaders(returnedText)
  const status = findStatus(mime)
  if (status) return { kind: 'delivery', ...about, ...status, returned: toReturned(returned) }
  const feedback = findFeedback(findFeedbackFields(mime), returned)
  if (feedback) {
    const { sender, ...rest } = feedback
    return { kind: 'feedback', ...about, ...rest, returned: toReturned(returned, sender) }
  }
  const plain = findPlainReport(mime)
  if (plain) {
    const { returned: copy, ...rest } = plain
    return { kind: 'delivery', ...about, ...rest, returned: toReturned(returnedText ? returned : readHeaders(copy)) }
  }
  return { kind: isAutomaticReply(mime) ? 'reply' : 'unknown', ...about, returned: toReturned(returned) }
}

function findRecipients(mime: MimeMessage): readonly string[] {
  const found: string[] = []
  for (const name of RECIPIENT_HEADERS) {
    for (const value of mime.headers(name)) found.push(...findAddresses(value))
  }
  return found.length < 2 ? found : [...new Set(found)]
}

/** By its type, or by its fields where a server calls it plain text. */
function findStatus(mime: MimeMessage) {
  const part = mime.parts.find(({ type }) => STATUS_TYPES.includes(type))
  if (part) return findDeliveryStatus(part.text())
  return /^(?:final|original)-recipient[ \t]*:/im.test(mime.text) ? findDeliveryStatus(mime.text) : undefined
}

function findFeedbackFields(mime: MimeMessage): string | undefined {
  const part = mime.parts.find(({ type }) => FEEDBACK_TYPES.includes(type))
  return part?.text() ?? (/^feedback-type[ \t]*:/im.test(mime.text) ? mime.text : undefined)
}

/** The last server on the way wrote the first Received. */
function findTimes(mime: MimeMessage): readonly number[] {
  const received = mime.header('received') ?? ''
  const written = findMailDate(mime.header('date'))
  const arrived = findMailDate(received.slice(received.lastIndexOf(';') + 1))
  return [written, arrived].filter((time) => time !== undefined)
}
