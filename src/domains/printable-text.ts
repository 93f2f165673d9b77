/** Makes text published by strangers safe for terminals and logs: only visible ASCII and spaces, limited in length. */

const SHOWN_MAX = 500

export function printable(text: string): string {
  const shown = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text
  return shown.replace(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}
