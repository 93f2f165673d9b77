/** Header lines of a message or of one of its parts (RFC 5322 section 2.2), and the values in them that say how to read it. */
import { AppError } from '../../lib/app-error.ts'

const HEADER_LENGTH_MAX = 65_536

export interface MimeHeaders {
  /** Names in lower case, values unfolded, in their order. One character per byte. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Where the body begins. */
  readonly bodyStart: number
}

/** Throws AppError `invalid_payload` where they do not come to an end. */
export function readMimeHeaders(text: string, start: number, end: number): MimeHeaders {
  const fields: [string, string][] = []
  let at = start
  while (at < end) {
    if (at - start > HEADER_LENGTH_MAX)
      throw new AppError('invalid_payload', `the message has headers of more than ${HEADER_LENGTH_MAX} bytes`)
    const newline = text.indexOf('\n', at)
    const next = newline === -1 || newline >= end ? end : newline + 1
    const line = text.slice(at, next).replace(/\r?\n$/, '')
    at = next
    if (line === '') break
    addLine(fields, line)
  }
  return { fields: fields.map(([name, value]) => [name, value.trim()]), bodyStart: at }
}

function addLine(fields: [string, string][], line: string): void {
  const last = fields.at(-1)
  if (/^[ \t]/.test(line)) {
    // A continuation of nothing is dropped, as is everything that is no field.
    if (last) last[1] += line
    return
  }
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon)).trimEnd()
  if (/^[!-9;-~]+$/.test(name)) fields.push([name.toLowerCase(), line.slice(colon + 1)])
}

export interface ContentType {
  /** In lower case. */
  readonly type: string
  readonly boundary: string | undefined
  readonly charset: string | undefined
}

/** RFC 2045 section 5.1, and 5.2 for what has none. Comments and other parameters are passed over. */
export function readContentType({ fields }: MimeHeaders): ContentType {
  const value = findField(fields, 'content-type') ?? ''
  const type = /^\s*([\w.+-]+\/[\w.+-]+)/.exec(value)?.[1]?.toLowerCase() ?? 'text/plain'
  return { type, boundary: findParameter(value, BOUNDARY), charset: findParameter(value, CHARSET) }
}

const BOUNDARY = /[;\s)]boundary\s*=\s*(?:"([^"]{1,200})"|([^\s;"()]{1,200}))/i
const CHARSET = /[;\s)]charset\s*=\s*(?:"([^"]{1,50})"|([^\s;"()]{1,50}))/i

function findParameter(value: string, pattern: RegExp): string | undefined {
  const [, quoted, bare] = pattern.exec(value.slice(0, VALUE_LENGTH_MAX)) ?? []
  return quoted ?? bare
}

const VALUE_LENGTH_MAX = 2000

/** The first of a name counts, so that all who look at the message see the same. */
export function findField(fields: MimeHeaders['fields'], name: string): string | undefined {
  return fields.find(([candidate]) => candidate === name)?.[1]
}
