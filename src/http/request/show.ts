/** Texts of the caller that a response repeats: short and on one line. */

export const SHOWN_LENGTH_MAX = 60

export function show(text: string): string {
  return JSON.stringify(text.length > SHOWN_LENGTH_MAX ? `${text.slice(0, SHOWN_LENGTH_MAX)}…` : text)
}
