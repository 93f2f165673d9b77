/** Expands SPF macros (RFC 7208 7.3). */
import type { Macro, MacroLetter, MacroString } from './macro-string.ts'

export type MacroValues = Readonly<Record<MacroLetter, string>>

export function expandMacros(parts: MacroString, values: Partial<MacroValues>): string {
  return parts.map((part) => (part.kind === 'macro' ? expand(part, values[part.letter] ?? '') : part.text)).join('')
}

function expand(macro: Macro, value: string): string {
  const text = transform(macro, value)
  return macro.isEscaped ? escapeForUrl(text) : text
}

/** Consecutive delimiters produce empty parts. The parts are joined by dots, whatever the delimiters were. */
function transform({ keep, isReversed, delimiters }: Macro, value: string): string {
  const parts = value.split(new RegExp(`[${RegExp.escape(delimiters)}]`))
  if (isReversed) parts.reverse()
  return parts.slice(-keep).join('.')
}

/** Escapes all except the unreserved characters of RFC 3986 section 2.3; encodeURIComponent leaves more as they are. */
function escapeForUrl(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}
