/** Reads a raw message as a report: a delivery status notification (DSN), a feedback report (ARF), or neither. */
import { AppError } from '../../lib/app-error.ts'
import type { Report } from '../../reports/report.ts'
import { readHeaders } from '../shared/header-text.ts'
import { isReadReceipt } from './automatic-reply.ts'
import { type DeliveryStatus, findDeliveryStatus, STATUS_TYPES } from './delivery-report.ts'
import { FEEDBACK_TYPES, findFeedback } from './feedback-report.ts'
import { readFreeText } from './free-text-report.ts'
import { findAddresses } from './mail-address.ts'
import { findMailDate } from './mail-date.ts'
import { type MimeMessage, parseMime } from './mime/mime-message.ts'
import { findPlainReport } from './plain-report.ts'
import { findReturnedPart, toReturned } from './returned-message.ts'
import { describeOutcomes } from './words/recipient-words.ts'

/** Headers in which mail servers record the envelope recipient; then the visible one. */
const RECIPIENT_HEADERS = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'to']
/** Of the addresses that it was sent to, the first count: the envelope's come first. */
const SENT_TO_MAX = 50

/**
 * A report with more recipients or fields than a real one has says so in `excess`. Throws AppError `invalid_payload` for a
 * message that cannot be parsed or exceeds another limit.
 */
export function readReport(message: Uint8Array): Report {
  const mime = parseMime(message)
  const about = { sentTo: findRecipients(mime), times: findTimes(mime) }
  const returnedText = findReturnedPart(mime.parts)?.text() ?? ''
  const returned = readHeaders(returnedText)
  const status = readOrExcess(() => findStatus(mime))
  if (status) return { kind: 'delivery', outcomes: [], ...about, ...status, returned: toReturned(returned) }
  const feedback = readOrExcess(() => findFeedback(findFeedbackFields(mime), returned))
  if (feedback && 'excess' in feedback) return { ...NO_FEEDBACK, ...about, ...feedback, returned: toReturned(returned) }
  if (feedback) {
    const { sender, ...rest } = feedback
    return { kind: 'feedback', ...about, ...rest, returned: toReturned(returned, sender) }
  }
  const plain = findPlainReport(mime)
  if (plain) {
    const { returned: copy, ...rest } = plain
    return { kind: 'delivery', ...about, ...rest, returned: toReturned(returnedText ? returned : readHeaders(copy)) }
  }
  const freeText = readFreeText(mime)
  if ('kind' in freeText) return { ...freeText, ...about, returned: toReturned(returned) }
  const { outcomes, copy } = freeText
  return {
    kind: 'delivery',
    isFreeText: true,
    ...about,
    outcomes,
    returned: toReturned(returnedText ? returned : readHeaders(copy)),
  }
}

const NO_FEEDBACK = { kind: 'feedback', feedbackType: 'abuse', recipients: [] } as const

/** A report is not lost because it is too large: it is known what it is, and it is kept. */
function readOrExcess<Found>(read: () => Found): Found | { readonly excess: string } {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { excess: error.message }
  }
}

function findRecipients(mime: MimeMessage): readonly string[] {
  const found = new Set<string>()
  for (const name of RECIPIENT_HEADERS) {
    for (const value of mime.headers(name)) {
      if (found.size >= SENT_TO_MAX) return [...found].slice(0, SENT_TO_MAX)
      for (const address of findAddresses(value)) found.add(address)
    }
  }
  return [...found].slice(0, SENT_TO_MAX)
}

/** Found by its type, or by its fields in servers' reports of type plain text. */
function findStatus(mime: MimeMessage): DeliveryStatus | undefined {
  const part = mime.parts.find(({ type }) => STATUS_TYPES.includes(type))
  if (!part && (isReadReceipt(mime) || !STATUS_IN_TEXT.test(mime.text) || RECEIPT_IN_TEXT.test(mime.text)))
    return undefined
  const status = findDeliveryStatus(part?.text() ?? mime.text)
  return status && { ...status, outcomes: describeOutcomes(status.outcomes, mime) }
}

const STATUS_IN_TEXT = /^(?:final|original)-recipient[ \t]*:/im
/** RFC 8098 section 3.2.6: read receipts have the same fields about recipients. */
const RECEIPT_IN_TEXT = /^disposition[ \t]*:/im

function findFeedbackFields(mime: MimeMessage): string | undefined {
  const part = mime.parts.find(({ type }) => FEEDBACK_TYPES.includes(type))
  return part?.text() ?? (/^feedback-type[ \t]*:/im.test(mime.text) ? mime.text : undefined)
}

/** The topmost Received was added by the last server on the route. */
function findTimes(mime: MimeMessage): readonly number[] {
  const received = mime.header('received') ?? ''
  const written = findMailDate(mime.header('date'))
  const arrived = findMailDate(received.slice(received.lastIndexOf(';') + 1))
  return [written, arrived].filter((time) => time !== undefined)
}
