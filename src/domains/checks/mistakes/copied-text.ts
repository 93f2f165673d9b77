/** Damage from copying a value: quotation marks and backslashes left in it, lookalike characters. */
import type { DiagnosisCode } from '../judging/diagnosis.ts'
import { listWords } from '../judging/plain-words.ts'
import type { Problem } from '../judging/verdict.ts'

export interface Damage {
  readonly diagnosis: Extract<DiagnosisCode, 'quotes_left' | 'escapes_left' | 'lookalike_characters'>
  /** Continues "… except for". */
  readonly what: string
  /** What to do, as a sentence. */
  readonly remedy: string
}

/** Produced by forms and word processors: dashes, non-breaking spaces, zero-width characters. */
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

/** The text as intended, and the damage that was found. */
export function repairText(text: string): { readonly text: string; readonly damages: readonly Damage[] } {
  const plain = replaceLookalikes(text)
  const unescaped = plain.replace(/\\(?=[^0-9])/g, '')
  // Two quoted strings are joined without a separator.
  const unquoted = unescaped.replace(/"\s*"/g, '').replace(QUOTES, '').replace(/^'|'$/g, '').trim()
  const damages: Damage[] = []
  if (plain !== text) damages.push(describeLookalikes(text))
  if (unquoted !== unescaped.trim()) damages.push(QUOTES_LEFT)
  if (unescaped !== plain) damages.push(ESCAPES_LEFT)
  return { text: unquoted, damages }
}

/** `damages`: at least one. */
export function describeDamage(at: string, damages: readonly Damage[]): Problem {
  const [first] = damages
  const text = [
    `The value at ${at} is correct except for ${listWords(damages.map(({ what }) => what))}.`,
    ...damages.map(({ remedy }) => remedy),
  ].join(' ')
  return { diagnosis: first?.diagnosis ?? 'wrong_value', text }
}

const QUOTES_LEFT: Damage = {
  diagnosis: 'quotes_left',
  what: 'quotation marks that became part of it',
  remedy: 'Enter the value without quotation marks; your DNS provider adds them where they are needed.',
}

const ESCAPES_LEFT: Damage = {
  diagnosis: 'escapes_left',
  what: 'backslashes that became part of it',
  remedy: 'Enter the value without backslashes; semicolons need no escaping.',
}

function describeLookalikes(text: string): Damage {
  const all = LOOKALIKES.flatMap(([pattern]) => [...text.matchAll(pattern)])
  const first = all.reduce((least, { index }) => Math.min(least, index), text.length)
  const code = text.charCodeAt(first).toString(16).toUpperCase().padStart(4, '0')
  const place = `U+${code} at position ${first + 1}`
  return {
    diagnosis: 'lookalike_characters',
    what:
      all.length === 1
        ? `a lookalike character (${place})`
        : `${all.length} lookalike characters (the first is ${place})`,
    remedy: 'Copy the required value as plain text, not from a word processor or a chat.',
  }
}

function replaceLookalikes(text: string): string {
  return LOOKALIKES.reduce((changed, [pattern, replacement]) => changed.replace(pattern, replacement), text)
}
