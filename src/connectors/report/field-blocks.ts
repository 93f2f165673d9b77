/** Reads the fields of reports: blocks of `Name: value` lines (RFC 3464 section 2.1.1), parsed leniently. */
import { AppError } from '../../lib/app-error.ts'
import { isBlankAt, visitFieldLines } from '../shared/field-lines.ts'

/** All values of each field, keyed by its name in lower case. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** Fields that occur once per recipient; a second one starts the next recipient. */
const ONCE_A_RECIPIENT = new Set(['final-recipient', 'original-recipient', 'action'])
/** A report about 200 recipients has about 2,000. */
const FIELDS_MAX = 5000
/** Fields and other lines: in a bounce message of plain text, those of the returned message too. */
const LINES_MAX = 20_000

/**
 * A block ends at an empty line, or before a repeated field of the next recipient. Lines without a field are
 * skipped. Throws AppError `invalid_payload` if there are too many.
 */
export function readFieldBlocks(text: string): readonly Fields[] {
  const blocks: Map<string, string[]>[] = []
  let block: Map<string, string[]> | undefined
  let fields = 0
  let lines = 0
  const onField = (writtenName: string, writtenValue: string) => {
    fields += 1
    if (fields > FIELDS_MAX) throw new AppError('invalid_payload', `the report has more than ${FIELDS_MAX} fields`)
    const name = writtenName.toLowerCase()
    const value = writtenValue.trim()
    const values = block?.get(name)
    if (!block || (values && ONCE_A_RECIPIENT.has(name))) {
      block = new Map()
      blocks.push(block)
      block.set(name, [value])
    } else if (values) values.push(value)
    else block.set(name, [value])
  }
  const onOther = (line: string) => {
    lines += 1
    if (lines > LINES_MAX) throw new AppError('invalid_payload', `the report has more than ${LINES_MAX} lines`)
    if (line.trim() === '') block = undefined
  }
  visitFieldLines(text, isContinuation, { onField, onOther })
  return blocks
}

/** RFC 5322 section 2.2.3, but a line of only white space counts as empty. */
function isContinuation(text: string, at: number): boolean {
  let end = at
  while (isBlankAt(text, end)) end += 1
  return end > at && end < text.length && /\S/.test(text.charAt(end))
}

/** Merges blocks into one; later fields replace earlier ones of the same name. */
export function mergeBlocks(blocks: readonly Fields[]): Fields {
  const [first] = blocks
  if (first && blocks.length === 1) return first
  const merged = new Map<string, readonly string[]>()
  for (const block of blocks) for (const [name, values] of block) merged.set(name, values)
  return merged
}

export function firstOf(fields: Fields, name: string): string | undefined {
  const values = fields.get(name)
  return values?.[0] || values?.find((value) => value !== '')
}

/** RFC 822 section 3.4.3: text in parentheses is a comment. */
export function withoutComments(text: string): string {
  return (text.includes('(') ? text.replaceAll(/\([^()]*\)/g, ' ') : text).trim()
}

/** Splits `dns; mx.example.com` into type and value. The type may be missing. */
export function typedValue(text: string): { readonly type: string | undefined; readonly value: string } {
  const semicolon = text.indexOf(';')
  const type = text.slice(0, Math.max(0, semicolon)).trim()
  if (!/^[\w-]+$/.test(type)) return { type: undefined, value: text.trim() }
  return { type: type.toLowerCase(), value: text.slice(semicolon + 1).trim() }
}

/** The host of a Reporting-MTA or Remote-MTA; undefined if it does not name one. */
export function findHost(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const name = withoutComments(typedValue(text).value).replace(/\.$/, '')
  return /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f.:]{2,45}\])$/i.test(name) ? name : undefined
}
