/** A part of a message that has no parts itself, decoded when somebody asks for it (RFC 2045). */
import { findCharset } from './mime-headers.ts'
import { decodeBytes } from './readable-text.ts'

/** Of the usual charsets those in which ASCII means itself. */
const ASCII_CHARSETS = new Set(['us-ascii', 'utf-8', 'iso-8859-1', 'windows-1252'])

export interface EncodedPart {
  /** In lower case. */
  readonly type: string
  readonly contentType: string
  /** In lower case. */
  readonly encoding: string
  /** One character per byte. */
  readonly body: string
  /** Whether there is no other byte in it. */
  readonly isAscii: boolean
}

export class MimePart {
  readonly type: string
  readonly isPlain: boolean
  readonly #encoded: EncodedPart

  constructor(encoded: EncodedPart) {
    this.type = encoded.type
    this.isPlain = encoded.type === 'text/plain'
    this.#encoded = encoded
  }

  text(): string {
    const { contentType, encoding, body, isAscii } = this.#encoded
    // What programs write for each other is UTF-8, whatever the part says.
    const charset = this.isPlain ? findCharset(contentType)?.toLowerCase() : undefined
    const isItself = isAscii && (charset === undefined || ASCII_CHARSETS.has(charset))
    const undo = findTransferDecoder(encoding)
    if (isItself && !undo) return body
    const bytes = undo ? undo(body) : Buffer.from(body, 'latin1')
    return charset === undefined ? decodeBytes(bytes) : decodeCharset(bytes, charset)
  }
}

/** RFC 2045 section 6; what is not known is taken as it is. */
function findTransferDecoder(encoding: string): ((body: string) => Buffer) | undefined {
  if (encoding.includes('base64')) return (body) => Buffer.from(body, 'base64')
  return encoding.includes('quoted-printable') ? decodeQuotedPrintable : undefined
}

function decodeQuotedPrintable(body: string): Buffer {
  const binary = body
    .replaceAll(/=[ \t]{0,100}\r?\n/g, '')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(binary, 'latin1')
}

function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return decodeBytes(bytes)
  }
}
