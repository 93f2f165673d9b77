/** What copying does to a value: quotation marks and backslashes that stay inside, characters that only look the same. */
import type { DiagnosisCode } from './diagnosis.ts'

export interface Damage {
  readonly diagnosis: Extract<DiagnosisCode, 'quotes_left' | 'escapes_left' | 'lookalike_characters'>
  /** Continues "… but for". */
  readonly what: string
  /** What to do about it; a sentence. */
  readonly remedy: string
}

/** As forms and word processors make them: dashes, blanks that do not break, and what takes no room at all. */
const LOOKALIKES: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g, '-'],
  [/[\u00A0\u1680\u2000-\u200A\u202F\u205F\u3000\uFFFD\u2028\u2029\t\r\n]/g, ' '],
  [/[\u00AD\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g, ''],
  [/[\u2018\u2019\u201A\u201B\u2032\uFF07]/g, "'"],
  [/\uFF1D/g, '='],
  [/[\uFF1B\u037E]/g, ';'],
  [/\uFF1A/g, ':'],
]
const QUOTES = /["\u201C-\u201F\u00AB\u00BB\u2033\uFF02]/g

/** The text as it was meant, and what had happened to it. */
export function repairText(text: string): { readonly text: string; readonly damages: readonly Damage[] } {
  const plain = replaceLookalikes(text)
  const unescaped = plain.replace(/\\(?=[^0-9])/g, '')
  // Between two strings that should have been joined there is nothing.
  const unquoted = unescaped.replace(/"\s*"/g, '').replace(QUOTES, '').replace(/^'|'$/g, '').trim()
  const damages: Damage[] = []
  if (plain !== text) damages.push(describeLookalikes(text))
  if (unquoted !== unescaped.trim()) damages.push(QUOTES_LEFT)
  if (unescaped !== plain) damages.push(ESCAPES_LEFT)
  return { text: unquoted, damages }
}

const QUOTES_LEFT: Damage = {
  diagnosis: 'quotes_left',
  what: 'quotation marks that became part of it',
  remedy: 'Enter the value without quotation marks: your DNS provider adds those that it needs.',
}

const ESCAPES_LEFT: Damage = {
  diagnosis: 'escapes_left',
  what: 'backslashes that became part of it',
  remedy: 'Enter the value without backslashes: a semicolon is written as it is.',
}

function describeLookalikes(text: string): Damage {
  const all = LOOKALIKES.flatMap(([pattern]) => [...text.matchAll(pattern)])
  const [first] = all.toSorted((one, other) => one.index - other.index)
  const code = (first?.[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const count = all.length === 1 ? 'a character' : `${all.length} characters`
  return {
    diagnosis: 'lookalike_characters',
    what: `${count} that only ${all.length === 1 ? 'looks' : 'look'} right (U+${code} at position ${(first?.index ?? 0) + 1})`,
    remedy: 'Copy the required value as plain text, not through a word processor or a chat.',
  }
}

function replaceLookalikes(text: string): string {
  return LOOKALIKES.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)
}
