/**
 * A raw message taken apart (RFC 2045, RFC 2046), as far as reports need it. Our own, because strangers send it and the thread
 * that reads it answers everybody else: general readers can be kept busy for many times as long by the same message.
 */
import { AppError } from '../../lib/app-error.ts'
import { findField, type MimeHeaders, readContentType, readMimeHeaders } from './mime-headers.ts'
import { decodeBytes } from './readable-text.ts'

/** A report has three parts on one level; software that wraps it, and a text for people in several forms, add some. */
const DEPTH_MAX = 10
const PARTS_MAX = 100

export interface MimeMessage {
  /** The values of a header, in their order, unfolded. */
  readonly headers: (name: string) => readonly string[]
  /** What is written for people, and whatever parts are called plain text. */
  readonly text: string
  /** The other parts. */
  readonly parts: readonly MimePart[]
}

export interface MimePart {
  /** In lower case. */
  readonly type: string
  text(): string
}

interface Leaf {
  readonly type: string
  readonly charset: string | undefined
  readonly encoding: string
  /** One character per byte. */
  readonly body: string
}

/** Throws AppError `invalid_payload` for what is nested too deep, or has too many parts or headers. */
export function parseMime(message: Uint8Array): MimeMessage {
  const text = Buffer.from(message.buffer, message.byteOffset, message.length).toString('latin1')
  const headers = readMimeHeaders(text, 0, text.length)
  const leaves = listLeaves(text, headers, text.length, 0)
  if (leaves.length > PARTS_MAX) throw new AppError('invalid_payload', `the message has more than ${PARTS_MAX} parts`)
  const isPlain = ({ type }: Leaf) => type === 'text/plain'
  return {
    headers: (name) =>
      headers.fields.filter(([key]) => key === name).map(([, value]) => decodeBytes(Buffer.from(value, 'latin1'))),
    text: leaves.filter(isPlain).map(decodeLeaf).join('\n'),
    parts: leaves
      .filter((leaf) => !isPlain(leaf))
      .map((leaf) => ({ type: leaf.type, text: () => decodeLeaf({ ...leaf, charset: undefined }) })),
  }
}

function listLeaves(text: string, headers: MimeHeaders, end: number, depth: number): readonly Leaf[] {
  const { type, boundary, charset } = readContentType(headers)
  if (type.startsWith('multipart/')) {
    const ranges = boundary === undefined ? [] : findParts(text, headers.bodyStart, end, boundary)
    if (ranges.length > PARTS_MAX || (ranges.length > 0 && depth === DEPTH_MAX))
      throw new AppError(
        'invalid_payload',
        `the message has more than ${PARTS_MAX} parts, or ${DEPTH_MAX} levels of them`,
      )
    if (ranges.length > 0) {
      return ranges.flatMap(([from, to]) => listLeaves(text, readMimeHeaders(text, from, to), to, depth + 1))
    }
  }
  // A message whose parts are not where its boundary says is still a text.
  const kind = type.startsWith('multipart/') ? 'text/plain' : type
  const encoding = findField(headers.fields, 'content-transfer-encoding') ?? ''
  return [{ type: kind, charset, encoding, body: text.slice(headers.bodyStart, end) }]
}

/** From delimiter to delimiter (RFC 2046 section 5.1.1). The last may be missing: the message was cut. */
function findParts(text: string, start: number, end: number, boundary: string): readonly (readonly [number, number])[] {
  const delimiter = `--${boundary}`
  // Not looked for behind the end: each of thousands of parts would search the whole rest of the message.
  const within = text.slice(0, end)
  const parts: [number, number][] = []
  let from: number | undefined
  for (let at = within.indexOf(delimiter, start); at !== -1; at = within.indexOf(delimiter, at + 1)) {
    if (at !== start && text[at - 1] !== '\n') continue
    const behind = at + delimiter.length
    const newline = text.indexOf('\n', behind)
    const lineEnd = newline === -1 || newline >= end ? end : newline
    const rest = text.slice(behind, Math.min(lineEnd, behind + LINE_LENGTH_MAX)).trimEnd()
    if (rest !== '' && rest !== '--') continue
    if (from !== undefined) parts.push([from, Math.max(from, endBefore(text, at))])
    if (rest === '--' || parts.length > PARTS_MAX) return parts
    from = Math.min(end, lineEnd + 1)
  }
  if (from !== undefined) parts.push([from, end])
  return parts
}

const LINE_LENGTH_MAX = 1000

/** The line end before a delimiter is a part of it. */
function endBefore(text: string, at: number): number {
  return text[at - 2] === '\r' ? at - 2 : at - 1
}

function decodeLeaf({ body, encoding, charset }: Leaf): string {
  const bytes = decodeTransfer(body, encoding)
  if (charset === undefined) return decodeBytes(bytes)
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return decodeBytes(bytes)
  }
}

/** RFC 2045 section 6; what is not known is taken as it is. */
function decodeTransfer(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64')
  return Buffer.from(/quoted-printable/i.test(encoding) ? decodeQuotedPrintable(body) : body, 'latin1')
}

function decodeQuotedPrintable(body: string): string {
  return body
    .replaceAll(/=[ \t]{0,100}\r?\n/g, '')
    .replaceAll(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
