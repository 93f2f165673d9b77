/** Header lines of a message or of one of its parts (RFC 5322 section 2.2), and the values in them that say how to read it. */
import { AppError } from '../../lib/app-error.ts'
import { endBefore, fieldNameEnd, isBlankAt } from '../field-lines.ts'
import { HeaderFields } from '../header-fields.ts'

const HEADER_LENGTH_MAX = 65_536

export interface MimeHeaders {
  /** One character per byte. */
  readonly fields: HeaderFields
  /** Where the body begins. */
  readonly bodyStart: number
}

/** Throws AppError `invalid_payload` where they do not come to an end. */
export function readMimeHeaders(text: string, start: number, end: number): MimeHeaders {
  const fields = new HeaderFields()
  let at = start
  while (at < end) {
    if (at - start > HEADER_LENGTH_MAX)
      throw new AppError('invalid_payload', `the message has headers of more than ${HEADER_LENGTH_MAX} bytes`)
    const newline = text.indexOf('\n', at)
    const isLast = newline === -1 || newline >= end
    const lineEnd = isLast ? end : Math.max(at, endBefore(text, newline))
    const lineStart = at
    at = isLast ? end : newline + 1
    if (lineStart === lineEnd) break
    addLine(fields, text, lineStart, lineEnd)
  }
  return { fields, bodyStart: at }
}

/** A continuation of nothing is dropped, as is everything that is no field. */
function addLine(fields: HeaderFields, text: string, start: number, end: number): void {
  if (isBlankAt(text, start)) {
    fields.continueLast(text.slice(start, end))
    return
  }
  const nameEnd = fieldNameEnd(text, start, end)
  let colon = nameEnd
  while (colon < end && text[colon] !== ':' && text.charAt(colon).trim() === '') colon += 1
  if (nameEnd > start && colon < end && text[colon] === ':')
    fields.add(text.slice(start, nameEnd), text.slice(colon + 1, end))
}

/** What reports are made of, as it is usually written. A map gives the string itself, which is compared in no time. */
const USUAL_TYPES = new Map(
  [
    'multipart/report',
    'text/plain',
    'message/delivery-status',
    'message/feedback-report',
    'message/rfc822',
    'text/rfc822-headers',
  ].map((type) => [type, type]),
)

/** RFC 2045 section 5.1, in lower case; and 5.2 for what has none. */
export function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(';')
  const start = semicolon === -1 ? contentType : contentType.slice(0, semicolon)
  const usual = USUAL_TYPES.get(start)
  if (usual !== undefined) return usual
  return /^\s*([\w.+-]+\/[\w.+-]+)/.exec(contentType)?.[1]?.toLowerCase() ?? 'text/plain'
}

const BOUNDARY = /[;\s)]boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"()]{1,200}))/i
const CHARSET = /[;\s)]charset\s*=\s*(?:"([^"]{1,50})"|([^\s;"()]{1,50}))/i

export function findBoundary(contentType: string): string | undefined {
  return findParameter(contentType, BOUNDARY)
}

export function findCharset(contentType: string): string | undefined {
  return findParameter(contentType, CHARSET)
}

/** Comments and other parameters are passed over. */
function findParameter(contentType: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(contentType.slice(0, VALUE_LENGTH_MAX))
  return found?.[1] ?? found?.[2]
}

const VALUE_LENGTH_MAX = 2000
