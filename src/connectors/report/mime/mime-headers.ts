/** Reads the headers of a message or of one of its parts (RFC 5322 section 2.2), and their MIME parameters. */
import { AppError } from '../../../lib/app-error.ts'
import { endBefore, fieldNameEnd, isBlankAt } from '../../shared/field-lines.ts'
import { HeaderFields } from '../../shared/header-fields.ts'

const HEADER_LENGTH_MAX = 65_536

export interface MimeHeaders {
  /** One character per byte. */
  readonly fields: HeaderFields
  /** The offset of the body. */
  readonly bodyStart: number
}

/** Throws AppError `invalid_payload` if they exceed the limit. */
export function readMimeHeaders(text: string, start: number, end: number): MimeHeaders {
  const fields = new HeaderFields()
  let at = start
  while (at < end) {
    if (at - start > HEADER_LENGTH_MAX)
      throw new AppError('invalid_payload', `the message has headers longer than ${HEADER_LENGTH_MAX} bytes`)
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

/** Lines that are neither a field nor the continuation of one are skipped. */
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

/** In lower case (RFC 2045 section 5.1); the default is that of section 5.2. */
export function mediaTypeOf(contentType: string): string {
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

/** Comments and other parameters are skipped. */
function findParameter(contentType: string, pattern: RegExp): string | undefined {
  const found = pattern.exec(contentType.slice(0, VALUE_LENGTH_MAX))
  return found?.[1] ?? found?.[2]
}

const VALUE_LENGTH_MAX = 2000
