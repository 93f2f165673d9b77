/** A value that copying has changed, in words. */
import type { Damage } from './copied-text.ts'
import { listWords } from './plain-words.ts'
import type { Problem } from './verdict.ts'

/** `damages`: at least one. */
export function describeDamage(at: string, damages: readonly Damage[]): Problem {
  const [first] = damages
  const text = [
    `The value at ${at} is right but for ${listWords(damages.map(({ what }) => what))}.`,
    ...damages.map(({ remedy }) => remedy),
  ].join(' ')
  return { diagnosis: first?.diagnosis ?? 'wrong_value', text }
}
