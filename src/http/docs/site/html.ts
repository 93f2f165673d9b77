/** Text as HTML. Everything in the pages of the documentation that is not written by us as markup goes through here. */

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}

/** Descriptions of the OpenAPI documents: text with `code`. */
export function describedHtml(text: string): string {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => (index % 2 === 0 ? escapeHtml(part) : `<code>${escapeHtml(part)}</code>`))
    .join('')
}

/** The id of a heading, as forges make it from its text. */
export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')
}

/** Around a table that may be wider than its place. Focusable, so that it can be scrolled by keyboard. */
export const TABLE_START = '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
export const TABLE_END = '</table></div>'
