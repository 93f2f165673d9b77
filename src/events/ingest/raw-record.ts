/** One record of a request or a file, parsed as far as possible, with a description of what is wrong with it. */
import { isUtf8 } from 'node:buffer'
import { NAMES_COMPARED_MAX, scanJsonValue } from '../../lib/text/json-scan.ts'

export interface RawRecord {
  /** Its length in bytes, if it can be known without parsing it. */
  readonly length?: number
  /** The record as it was sent: the quarantine stores and recognizes these bytes. */
  readonly payload: Uint8Array
  /** The parsed JSON; meaningless when there is a problem. */
  readonly value: unknown
  readonly problem?: string | undefined
}

export type ParsedRecord = Pick<RawRecord, 'value' | 'problem'>

export const DEPTH_MAX = 16
export const RECORD_LENGTH_MAX = 1_048_576
/** At all levels together. Each costs JSON.parse a microsecond; events have 23. */
export const NAMES_MAX = NAMES_COMPARED_MAX

/** The subject of each description of a problem. */
export const SUBJECT = 'the record'

const TOO_LONG = { value: null, problem: `${SUBJECT} is longer than ${RECORD_LENGTH_MAX} characters` }

export function toRawRecord(payload: Uint8Array): RawRecord {
  return { payload, ...parseRecordBytes(payload) }
}

export function parseRecord(text: string): RawRecord {
  return toRawRecord(Buffer.from(text))
}

/** A record that is JSON except for its encoding counts as JSON: it is quarantined, whereas a body without JSON is refused. */
export function parseRecordBytes(payload: Uint8Array): ParsedRecord {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
  // A character has at most three bytes for each of its units.
  if (bytes.length > 3 * RECORD_LENGTH_MAX) return TOO_LONG
  if (isUtf8(bytes)) return parseText(bytes, bytes.toString())
  return { value: parseText(bytes, bytes.toString('latin1')).value, problem: `${SUBJECT} is not valid UTF-8` }
}

function parseText(bytes: Buffer, text: string): ParsedRecord {
  if (text.length > RECORD_LENGTH_MAX) return TOO_LONG
  const { depth, names, duplicateName } = scanJsonValue(bytes, 0)
  if (depth > DEPTH_MAX) return { value: null, problem: `${SUBJECT} is nested more than ${DEPTH_MAX} levels deep` }
  if (names > NAMES_MAX) return { value: null, problem: `${SUBJECT} has more than ${NAMES_MAX} names` }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const at = findBreak(text, error)
    const place = at === undefined ? '' : ` at character ${at + 1}`
    return { value: undefined, problem: `${SUBJECT} is not valid JSON${place}` }
  }
  if (duplicateName === undefined) return { value }
  return { value, problem: `the name ${JSON.stringify(duplicateName)} occurs twice` }
}

const SPACE = /[ \t\n\r]*/y
const TOKEN = /[ \t\n\r]*([[\]{},:]|"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+)/y
const VALUE = /^(?:["[{]|-?\d|(?:true|false|null)$)/

/** Further ones are not examined. */
const TOKENS_MAX = 10_000

/** Where JSON.parse stopped. Its message says so, except for a token that is not a value. Undefined if that is far from the start. */
function findBreak(text: string, error: unknown): number | undefined {
  const message = String(error)
  const position = /at position (\d+)/.exec(message)?.[1]
  if (position !== undefined) return Number(position)
  if (message.includes('end of JSON')) return text.length
  let before = ','
  TOKEN.lastIndex = 0
  for (let tokens = 0; tokens < TOKENS_MAX; tokens++) {
    SPACE.lastIndex = TOKEN.lastIndex
    SPACE.test(text)
    const start = SPACE.lastIndex
    const token = TOKEN.exec(text)?.[1]
    if (token === undefined) return start
    const isEmptyList = before === '[' && token === ']'
    if (',:['.includes(before) && !isEmptyList && !VALUE.test(token)) return start
    before = token
  }
  return undefined
}
