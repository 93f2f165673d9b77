/** Message headers as they stand on the wire, unfolded and with their encoded words (RFC 2047) made readable. */

import { findEmptyLine, isBlankAt, visitFieldLines } from './field-lines.ts'
import { HeaderFields } from './header-fields.ts'

const HEADERS_LENGTH_MAX = 100_000

/** Up to the first empty line. */
export function readHeaders(message: string): HeaderFields {
  const headers = new HeaderFields()
  const start = message.slice(0, HEADERS_LENGTH_MAX)
  const end = findEmptyLine(start)
  // RFC 5322 section 2.2.3: a line that begins with white space continues the one before.
  visitFieldLines(end === -1 ? start : start.slice(0, end), isBlankAt, {
    onField: (name, value) => headers.add(name, value),
  })
  return headers
}

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi
/** RFC 2047 section 6.2: white space between two encoded words is no part of the text. */
const RUN_OF_WORDS = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s*=\?[^?\s]+\?[bq]\?[^?\s]*\?=)*/gi

/** Words of an unknown charset stay as they are. */
export function decodeHeaderText(raw: string): string {
  return raw.includes('=?') ? raw.replaceAll(RUN_OF_WORDS, decodeRun) : raw
}

/** Some senders cut one character in two, so the bytes of words of one charset are put together before they are decoded. */
function decodeRun(run: string): string {
  const parts: { readonly charset: string; readonly bytes: Buffer[] }[] = []
  for (const [, charset = '', encoding = '', text = ''] of run.matchAll(ENCODED_WORD)) {
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : decodeQ(text)
    const last = parts.at(-1)
    if (last?.charset === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset: charset.toLowerCase(), bytes: [bytes] })
  }
  try {
    return parts.map(({ charset, bytes }) => new TextDecoder(charset).decode(Buffer.concat(bytes))).join('')
  } catch {
    return run
  }
}

function decodeQ(text: string): Buffer {
  const plain = text.replaceAll('_', ' ')
  const binary = plain.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(binary, 'latin1')
}
