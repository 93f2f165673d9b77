/** The beginning of a text that others have written, for a message or a table: `lengthMax` characters, and a mark if there are more. */
export function shorten(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
}
