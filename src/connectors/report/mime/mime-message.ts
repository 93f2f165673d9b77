/**
 * Parses a raw message (RFC 2045, RFC 2046) as far as reports need it. Not a library, because reports come from strangers
 * and are parsed on the serving thread: a hostile message keeps general parsers busy for many times as long.
 */
import { isAscii } from 'node:buffer'
import { AppError } from '../../../lib/app-error.ts'
import { endBefore } from '../../shared/field-lines.ts'
import type { HeaderFields } from '../../shared/header-fields.ts'
import { findBoundary, type MimeHeaders, mediaTypeOf, readMimeHeaders } from './mime-headers.ts'
import { decodeBytes, MimePart } from './mime-part.ts'

/** A report has three parts on one level; wrappers and alternative texts add a few. */
const DEPTH_MAX = 10
const PARTS_MAX = 100
const LINE_LENGTH_MAX = 1000

interface MimeSource {
  /** One character per byte, so that it can be split before its charset is known. */
  readonly text: string
  readonly isAscii: boolean
}

export class MimeMessage {
  /** All but those of type plain text. */
  readonly parts: readonly MimePart[]
  readonly #source: MimeSource
  readonly #fields: HeaderFields
  readonly #texts: readonly MimePart[]
  #text: string | undefined

  constructor(source: MimeSource, fields: HeaderFields, parts: readonly MimePart[]) {
    this.#source = source
    this.#fields = fields
    this.parts = parts.filter(({ isPlain }) => !isPlain)
    this.#texts = parts.filter(({ isPlain }) => isPlain)
  }

  /** The first value of a header, unfolded. */
  header(name: string): string | undefined {
    const value = this.#fields.get(name)
    return value === undefined ? undefined : this.#decode(value)
  }

  /** All values of a header, in order. */
  headers(name: string): readonly string[] {
    const values = this.#fields.list(name)
    return this.#source.isAscii ? values : values.map((value) => this.#decode(value))
  }

  #decode(value: string): string {
    return this.#source.isAscii ? value : decodeBytes(Buffer.from(value, 'latin1'))
  }

  /** The parts of type plain text. Decoded on demand: most reports are read without them. */
  get text(): string {
    this.#text ??= this.#texts.map((part) => part.text()).join('\n')
    return this.#text
  }
}

/** Throws AppError `invalid_payload` for a message with too deep nesting, or too many parts or headers. */
export function parseMime(message: Uint8Array): MimeMessage {
  const bytes = Buffer.isBuffer(message) ? message : Buffer.from(message.buffer, message.byteOffset, message.length)
  const source = { text: bytes.toString('latin1'), isAscii: isAscii(bytes) }
  const headers = readMimeHeaders(source.text, 0, source.text.length)
  const parts: MimePart[] = []
  addParts(parts, source, headers, source.text.length, 0)
  if (parts.length > PARTS_MAX) throw new AppError('invalid_payload', `the message has more than ${PARTS_MAX} parts`)
  return new MimeMessage(source, headers.fields, parts)
}

function addParts(parts: MimePart[], source: MimeSource, headers: MimeHeaders, end: number, depth: number): void {
  const { text, isAscii } = source
  const contentType = headers.fields.get('content-type') ?? ''
  const type = mediaTypeOf(contentType)
  const isMultipart = type.startsWith('multipart/')
  if (isMultipart) {
    const ranges = findParts(text, headers.bodyStart, end, findBoundary(contentType))
    if (ranges.length > PARTS_MAX || (ranges.length > 0 && depth === DEPTH_MAX))
      throw new AppError(
        'invalid_payload',
        `the message has more than ${PARTS_MAX} parts or ${DEPTH_MAX} levels of nesting`,
      )
    for (const [from, to] of ranges) addParts(parts, source, readMimeHeaders(text, from, to), to, depth + 1)
    if (ranges.length > 0) return
  }
  const encoding = headers.fields.get('content-transfer-encoding')?.toLowerCase() ?? ''
  const body = text.slice(headers.bodyStart, end)
  // A multipart message without its boundaries is read as plain text.
  parts.push(new MimePart({ type: isMultipart ? 'text/plain' : type, contentType, encoding, body, isAscii }))
}

/** The ranges between delimiters (RFC 2046 section 5.1.1). The last delimiter may be missing if the message was truncated. */
function findParts(text: string, start: number, end: number, boundary: string | undefined): readonly Range[] {
  const parts: Range[] = []
  if (boundary === undefined) return parts
  const delimiter = `--${boundary}`
  // Limited to the part: otherwise each of thousands of parts would search the whole rest of the message.
  const within = text.slice(0, end)
  // Only at the start of a line: a boundary of dashes would match at every character of a line of dashes.
  const nextAt = (after: number) => {
    const found = within.indexOf(`\n${delimiter}`, after)
    return found === -1 ? -1 : found + 1
  }
  let from: number | undefined
  for (let at = within.startsWith(delimiter, start) ? start : nextAt(start); at !== -1; at = nextAt(at)) {
    const after = at + delimiter.length
    const newline = text.indexOf('\n', after)
    const lineEnd = newline === -1 || newline >= end ? end : newline
    const rest = text.slice(after, Math.min(lineEnd, after + LINE_LENGTH_MAX)).trimEnd()
    if (rest !== '' && rest !== '--') continue
    // The line terminator before a delimiter belongs to it.
    if (from !== undefined) parts.push([from, Math.max(from, endBefore(text, at - 1))])
    if (rest === '--' || parts.length > PARTS_MAX) return parts
    from = Math.min(end, lineEnd + 1)
  }
  if (from !== undefined) parts.push([from, end])
  return parts
}

type Range = readonly [from: number, to: number]
