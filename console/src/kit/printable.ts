/** Words of strangers made safe to look at: what cannot be seen, or turns the direction of writing, is shown by its number. */

/**
 * Control characters, and those of formatting but for the joiners (U+200C, U+200D), which emoji and several scripts need,
 * and the soft hyphen, which does no harm.
 */
const UNSEEN =
  /[\p{Cc}\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0001}-\u{E007F}\p{Cs}\uFFFE\uFFFF]/gu

/** For a single line: `invoice\u{202E}fdp.exe` is shown as `invoice[U+202E]fdp.exe`. */
export function printable(text: string): string {
  return text.replaceAll(UNSEEN, name)
}

/** For blocks: line breaks stay, because servers answer in several lines. */
export function printableLines(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(UNSEEN, (character) => (character === '\n' ? '\n' : name(character)))
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
}
