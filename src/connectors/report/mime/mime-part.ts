/** A leaf part of a message, decoded on demand (RFC 2045). */
import { isUtf8 } from 'node:buffer'
import { findCharset } from './mime-headers.ts'

/** Common charsets that are supersets of ASCII. */
const ASCII_CHARSETS = new Set(['us-ascii', 'utf-8', 'iso-8859-1', 'windows-1252'])

export interface EncodedPart {
  /** In lower case. */
  readonly type: string
  readonly contentType: string
  /** In lower case. */
  readonly encoding: string
  /** One character per byte. */
  readonly body: string
  /** Whether the whole message is ASCII. */
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
    // Parts written for programs are UTF-8, whatever charset they declare.
    const isForPeople = this.isPlain || this.type === 'text/html'
    const charset = isForPeople ? findCharset(contentType)?.toLowerCase() : undefined
    const isDecoded = isAscii && (charset === undefined || ASCII_CHARSETS.has(charset))
    const decodeTransfer = findTransferDecoder(encoding)
    if (isDecoded && !decodeTransfer) return body
    const bytes = decodeTransfer ? decodeTransfer(body) : Buffer.from(body, 'latin1')
    return charset === undefined ? decodeBytes(bytes) : decodeCharset(bytes, charset)
  }
}

/** RFC 2045 section 6; an unknown encoding is ignored. */
function findTransferDecoder(encoding: string): ((body: string) => Buffer) | undefined {
  if (encoding.includes('base64')) return (body) => Buffer.from(body, 'base64')
  return encoding.includes('quoted-printable') ? decodeQuotedPrintable : undefined
}

function decodeQuotedPrintable(body: string): Buffer {
  const text = body.replaceAll(/=[ \t]{0,100}\r?\n/g, '')
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  // Not with a regular expression: a call for each of 87,000 encoded characters would take ten times as long.
  for (let at = 0; at < text.length; at++) {
    const high = text.charCodeAt(at) === EQUALS ? hexDigit(text.charCodeAt(at + 1)) : NONE
    const low = high === NONE ? NONE : hexDigit(text.charCodeAt(at + 2))
    bytes[length] = low === NONE ? text.charCodeAt(at) : high * 16 + low
    if (low !== NONE) at += 2
    length += 1
  }
  return bytes.subarray(0, length)
}

const EQUALS = 0x3d
const NONE = -1

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : NONE
}

function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return decodeBytes(bytes)
  }
}

const utf8 = new TextDecoder('utf-8')
const windows1252 = new TextDecoder('windows-1252')

/** Text without a declared charset that is not UTF-8 is most often Windows-1252. */
export function decodeBytes(bytes: Uint8Array): string {
  return (isUtf8(bytes) ? utf8 : windows1252).decode(bytes)
}
