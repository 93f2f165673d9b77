/** Reads raw message headers: unfolds them and decodes their encoded words (RFC 2047). */

import { findEmptyLine, isBlankAt, visitFieldLines } from './field-lines.ts'
import { HeaderFields } from './header-fields.ts'

const HEADERS_LENGTH_MAX = 100_000

/** Reads up to the first empty line. */
export function readHeaders(message: string): HeaderFields {
  const headers = new HeaderFields()
  const start = message.slice(0, HEADERS_LENGTH_MAX)
  const end = findEmptyLine(start)
  // RFC 5322 section 2.2.3: a line that begins with white space continues the previous one.
  visitFieldLines(end === -1 ? start : start.slice(0, end), isBlankAt, {
    onField: (name, value) => headers.add(name, value),
  })
  return headers
}

const ENCODED_WORD = /=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi
/** RFC 2047 section 6.2: white space between two encoded words is not part of the text. */
const RUN_OF_WORDS = /=\?[^?\s]+\?[bq]\?[^?\s]*\?=(?:\s*=\?[^?\s]+\?[bq]\?[^?\s]*\?=)*/gi

/** Words in an unknown charset are left as they are. */
export function decodeHeaderText(raw: string): string
export function decodeHeaderText(raw: string | undefined): string | undefined
export function decodeHeaderText(raw: string | undefined): string | undefined {
  return raw?.includes('=?') ? raw.replaceAll(RUN_OF_WORDS, decodeRun) : raw
}

/** Some senders split a character between two words, so adjacent words of one charset are joined before decoding. */
function decodeRun(run: string): string {
  const parts: { readonly charset: string; readonly bytes: Buffer[] }[] = []
  for (const [, charset = '', encoding = '', text = ''] of run.matchAll(ENCODED_WORD)) {
    const bytes = encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64') : decodeQ(text)
    const last = parts.at(-1)
    if (last?.charset === charset.toLowerCase()) last.bytes.push(bytes)
    else parts.push({ charset: charset.toLowerCase(), bytes: [bytes] })
  }
  try {
    return parts.map(({ charset, bytes }) => decoderOf(charset).decode(Buffer.concat(bytes))).join('')
  } catch {
    return run
  }
}

const utf8 = new TextDecoder()

const decoders = new Map([['utf-8', utf8]])

/** Making a decoder costs more than decoding a header. There are about 200 names of charsets, so they can all be kept. */
function decoderOf(charset: string) {
  let decoder = decoders.get(charset)
  if (!decoder) {
    decoder = new TextDecoder(charset)
    decoders.set(charset, decoder)
  }
  return decoder
}

function decodeQ(text: string): Buffer {
  const plain = text.replaceAll('_', ' ')
  const binary = plain.replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(binary, 'latin1')
}
