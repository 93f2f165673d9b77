/** Splits `Name: value` lines of headers and delivery reports (RFC 5322 section 2.2) after unfolding them. */

const TAB = 0x09
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
const COLON = 0x3a
const TILDE = 0x7e

/** Whether the line that begins at `at` continues the previous one. */
export type Folding = (text: string, at: number) => boolean

export interface FieldVisitor {
  /** Both as written: the value may have white space around it. */
  readonly onField: (name: string, value: string) => void
  readonly onOther?: (line: string) => void
}

/** Visits every line, with its continuation lines appended. */
export function visitFieldLines(text: string, isContinuation: Folding, visitor: FieldVisitor): void {
  for (let at = 0; at <= text.length; ) {
    let newline = text.indexOf('\n', at)
    if (newline === -1 || !isContinuation(text, newline + 1)) {
      visitLine(text, at, newline === -1 ? text.length : endBefore(text, newline), visitor)
    } else {
      let line = text.slice(at, endBefore(text, newline))
      while (newline !== -1 && isContinuation(text, newline + 1)) {
        const start = newline + 1
        newline = text.indexOf('\n', start)
        line += text.slice(start, newline === -1 ? text.length : endBefore(text, newline))
      }
      visitLine(line, 0, line.length, visitor)
    }
    at = newline === -1 ? text.length + 1 : newline + 1
  }
}

function visitLine(text: string, start: number, end: number, { onField, onOther }: FieldVisitor): void {
  const nameEnd = fieldNameEnd(text, start, end)
  let colon = nameEnd
  while (colon < end && isBlankAt(text, colon)) colon += 1
  const value = text.slice(colon + 1, end)
  if (nameEnd > start && colon < end && text.charCodeAt(colon) === COLON && !LINE_TERMINATOR.test(value)) {
    onField(text.slice(start, nameEnd), value)
  } else onOther?.(text.slice(start, end))
}

const LINE_TERMINATOR = /[\r\n\u2028\u2029]/

/** The end of the line that this line feed terminates: a carriage return belongs to the terminator. */
export function endBefore(text: string, lineFeed: number): number {
  return lineFeed > 0 && text.charCodeAt(lineFeed - 1) === CARRIAGE_RETURN ? lineFeed - 1 : lineFeed
}

/** The end of the line before the first empty one, or -1. An empty line at the very start does not count. */
export function findEmptyLine(text: string): number {
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (isLineEndAt(text, at + 1)) return endBefore(text, at)
  }
  return -1
}

function isLineEndAt(text: string, at: number): boolean {
  if (at >= text.length) return false
  const code = text.charCodeAt(at)
  return code === LINE_FEED || (code === CARRIAGE_RETURN && text[at + 1] === '\n')
}

/** Space or tab. */
export function isBlankAt(text: string, at: number): boolean {
  if (at >= text.length) return false
  const code = text.charCodeAt(at)
  return code === SPACE || code === TAB
}

/** The end of the field name that begins at `start`: printable ASCII without the colon (RFC 5322 section 2.2). */
export function fieldNameEnd(text: string, start: number, end: number): number {
  let at = start
  while (at < end && isNameCode(text.charCodeAt(at))) at += 1
  return at
}

function isNameCode(code: number): boolean {
  return code > SPACE && code <= TILDE && code !== COLON
}
