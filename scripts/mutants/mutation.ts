/** A small change of a source file that should make a test fail. */

export interface Mutation {
  /** Relative to the checkout. */
  readonly file: string
  /** Offset of the replaced text. */
  readonly start: number
  readonly end: number
  readonly replacement: string
  readonly line: number
  /** The replaced text and its replacement, on one line. */
  readonly change: string
  /** The line that it begins on, trimmed. */
  readonly context: string
}

const SHOWN_LENGTH_MAX = 70

export function createMutation(
  { file, source }: { readonly file: string; readonly source: string },
  { start, end }: { readonly start: number; readonly end: number },
  replacement: string,
): Mutation {
  const line = source.slice(0, start).split('\n').length
  const context = source.split('\n')[line - 1]?.trim() ?? ''
  const change = `${show(source.slice(start, end))} → ${show(replacement)}`
  return { file, start, end, replacement, line, change, context }
}

export function applyMutation(source: string, { start, end, replacement }: Mutation): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

export function describeMutation({ file, line, change }: Mutation): string {
  return `${file}:${line}  ${change}`
}

function show(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line === '' || line === ';') return '(removed)'
  return line.length > SHOWN_LENGTH_MAX ? `${line.slice(0, SHOWN_LENGTH_MAX)}…` : line
}
