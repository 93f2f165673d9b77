/** Makes untrusted text safe to display: invisible and direction-changing characters are shown by their code point. */

/**
 * Control and format characters, except the joiners (U+200C, U+200D), which emoji and several scripts need, and the
 * harmless soft hyphen.
 */
const INVISIBLE =
  /[\p{Cc}\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0001}-\u{E007F}\p{Cs}\uFFFE\uFFFF]/gu

/** For single lines: `invoice\u{202E}fdp.exe` becomes `invoice[U+202E]fdp.exe`. */
export function printable(text: string): string {
  return text.replaceAll(INVISIBLE, codePoint)
}

/** For blocks: keeps line breaks, because servers send replies of several lines. */
export function printableLines(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(INVISIBLE, (character) => (character === '\n' ? '\n' : codePoint(character)))
}

function codePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
}
