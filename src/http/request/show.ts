/** Texts of the caller that a response repeats: short and on one line. */
import { shorten } from '../../lib/text/shorten.ts'

export const SHOWN_LENGTH_MAX = 60

export function show(text: string): string {
  return JSON.stringify(shorten(text, SHOWN_LENGTH_MAX))
}
