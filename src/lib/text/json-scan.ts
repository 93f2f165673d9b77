/**
 * Finds the end of a JSON value without building it, and detects what JSON.parse hides: duplicate names in an object (it
 * keeps the last) and excessive depth (it takes seconds). Other syntax errors are left to JSON.parse. Works on bytes, since
 * the syntax of JSON is ASCII: the end is found even if the text is not valid UTF-8.
 */

export interface ScannedValue {
  /** Index after the value; -1 if the text ends inside it. */
  readonly end: number
  readonly depth: number
  /** Names of members, at every level. */
  readonly names: number
  readonly duplicateName?: string
}

/** Work that pauses now and then: whoever runs it decides what comes in between. */
export type Steps<T> = Generator<undefined, T, undefined>

/** About a millisecond of scanning. */
export const STEP_BYTES = 131_072

/** Strings are rarely longer: most are scanned without a generator of their own. */
const NEAR_BYTES = 128

/** Duplicates are not detected beyond this: remembering a name costs more than everything else. */
export const NAMES_COMPARED_MAX = 4096

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

export function isJsonSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

export function skipJsonSpace(text: Uint8Array, from: number): number {
  let at = from
  while (at < text.length && isJsonSpace(text[at])) at++
  return at
}

/** `start` is the index of the value's first byte. Names are compared down to `namesDepth` levels of nesting. */
export function scanJsonValue(text: Buffer, start: number, namesDepth = 1): ScannedValue {
  const first = text[start]
  if (first === QUOTE) return { end: endOfString(text, start), depth: 0, names: 0 }
  if (first !== OPEN_OBJECT && first !== OPEN_ARRAY) return { end: endOfScalar(text, start), depth: 0, names: 0 }
  return scanContainer(text, start, namesDepth)
}

/** The end of a value that may be long; -1 if the text ends inside it. */
export function* findJsonEnd(text: Buffer, start: number): Steps<number> {
  const first = text[start]
  if (first === QUOTE) return yield* findStringEnd(text, start)
  const isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY
  let depth = 0
  let pauseAt = start + STEP_BYTES
  for (let at = start; at < text.length; at++) {
    if (at >= pauseAt) {
      yield
      pauseAt = at + STEP_BYTES
    }
    const code = text[at] ?? 0
    if (!isContainer) {
      if (isAfterScalar(code)) return at
    } else if (code === QUOTE) {
      const near = scanString(text, at + 1, Math.min(text.length, at + NEAR_BYTES)).end
      const end = near === -1 ? yield* findStringEnd(text, at) : near
      if (end === -1) return -1
      at = end - 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth++
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return isContainer ? -1 : text.length
}

function* findStringEnd(text: Uint8Array, start: number): Steps<number> {
  for (let from = start + 1; from < text.length; ) {
    const { end, at } = scanString(text, from, Math.min(text.length, from + STEP_BYTES))
    if (end !== -1) return end
    yield
    from = at
  }
  return -1
}

/** The next index, from here on, without white space. */
export function* findAfterSpace(text: Uint8Array, from: number): Steps<number> {
  let at = from
  for (let pauseAt = from + STEP_BYTES; at < text.length && isJsonSpace(text[at]); at++) {
    if (at < pauseAt) continue
    yield
    pauseAt = at + STEP_BYTES
  }
  return at
}

function scanContainer(text: Buffer, start: number, namesDepth: number): ScannedValue {
  const { length } = text
  const names: (Set<string> | undefined)[] = []
  let depth = 0
  let deepest = 0
  let count = 0
  let duplicateName: string | undefined
  for (let at = start; at < length; at++) {
    const code = text[at]
    if (code === QUOTE) {
      const end = endOfString(text, at)
      if (end === -1) return { end: -1, depth: deepest, names: count }
      const seen = depth <= namesDepth && count < NAMES_COMPARED_MAX ? names[depth] : undefined
      if (seen && isName(text, end)) {
        const name = decodeName(text, at, end)
        if (seen.has(name)) duplicateName ??= name
        seen.add(name)
      }
      at = end - 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      depth++
      if (depth > deepest) deepest = depth
      if (depth <= namesDepth) names[depth] = code === OPEN_OBJECT ? new Set() : undefined
    } else if (code === COLON) {
      count++
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      depth--
      if (depth === 0)
        return { end: at + 1, depth: deepest, names: count, ...(duplicateName !== undefined && { duplicateName }) }
    }
  }
  return { end: -1, depth: deepest, names: count }
}

/** A name written with escapes is the same name: `"\u0069d"` is `"id"`. */
function decodeName(text: Buffer, start: number, end: number): string {
  const raw = text.toString('utf8', start + 1, end - 1)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(`"${raw}"`) as string
  } catch {
    return raw
  }
}

function isName(text: Uint8Array, end: number): boolean {
  return text[skipJsonSpace(text, end)] === COLON
}

function endOfString(text: Uint8Array, start: number): number {
  return scanString(text, start + 1, text.length).end
}

/** `end`: the index after the string, if it ends before `to`; otherwise `at` is where to continue. */
function scanString(text: Uint8Array, from: number, to: number): { readonly end: number; readonly at: number } {
  let at = from
  while (at < to) {
    const code = text[at]
    if (code === QUOTE) return { end: at + 1, at }
    at += code === BACKSLASH ? 2 : 1
  }
  return { end: -1, at }
}

function endOfScalar(text: Uint8Array, start: number): number {
  let at = start
  while (at < text.length && !isAfterScalar(text[at] ?? 0)) at++
  return at
}

function isAfterScalar(code: number): boolean {
  return code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || isJsonSpace(code)
}
