/** Where an actual value differs from the expected one. */
import { printable } from '../../domains/printable-text.ts'
import type { Paint } from './paint.ts'

/** Characters shown of each value where they differ. */
const EXCERPT_LENGTH = 24

export interface Difference {
  /** Both values, with the part that differs in colour. */
  readonly expected: string
  readonly found: string
  /** The same in words, because not everybody sees colours. */
  readonly remark: string
}

export function markDifference(expected: string, found: string, paint: Paint): Difference | undefined {
  if (expected === found) return undefined
  const start = commonLength(expected, found)
  const end = commonLength(reverse(expected.slice(start)), reverse(found.slice(start)))
  const mark = (text: string, style: 'green' | 'red'): string => {
    const [same, other, rest] = [
      text.slice(0, start),
      text.slice(start, text.length - end),
      text.slice(text.length - end),
    ]
    return `${shown(same)}${other === '' ? '' : paint(style, shown(other))}${shown(rest)}`
  }
  const remark = `differs from character ${start + 1}: expected ${excerpt(expected, start)}, found ${excerpt(found, start)}`
  return { expected: mark(expected, 'green'), found: mark(found, 'red'), remark }
}

function excerpt(text: string, start: number): string {
  if (start >= text.length) return start === 0 ? 'nothing' : 'nothing more'
  const part = text.slice(start, start + EXCERPT_LENGTH)
  return `"${printable(part)}${start + EXCERPT_LENGTH < text.length ? '…' : ''}"`
}

function commonLength(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

function reverse(text: string): string {
  return [...text].toReversed().join('')
}

/** Whole, because it is to be compared, but without control characters: strangers publish it. */
export function shown(text: string): string {
  return (text.match(/.{1,500}/gsu) ?? []).map(printable).join('')
}
