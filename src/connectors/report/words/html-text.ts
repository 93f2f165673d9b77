/** The words of a part of type HTML, roughly, in one pass: bounce messages of some systems have no other text. */

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi
/** Elements that start on a line of their own. */
const BLOCKS = /^\/?(?:p|div|br|tr|li|ul|ol|table|h[1-6]|pre|blockquote|hr|body)\b/i
/** Elements whose content is not text. */
const HIDDEN = /^(style|script|title)\b/i

/** `limit`: the characters of the result; the rest is not read. */
export function htmlText(html: string, limit: number): string {
  const pieces: string[] = []
  const lower = html.toLowerCase()
  let length = 0
  let at = 0
  while (at < html.length && length < limit) {
    const open = html.indexOf('<', at)
    const end = open === -1 ? html.length : open
    const text = html.slice(at, Math.min(end, at + limit)).replaceAll(/\s+/g, ' ')
    pieces.push(text)
    length += text.length
    if (open === -1) break
    const close = html.indexOf('>', open)
    if (close === -1) break
    const tag = html.slice(open + 1, Math.min(close, open + 20))
    if (BLOCKS.test(tag)) pieces.push('\n')
    at = close + 1
    const [, hidden] = HIDDEN.exec(tag) ?? []
    if (hidden === undefined) continue
    const after = lower.indexOf(`</${hidden.toLowerCase()}`, at)
    if (after === -1) break
    at = after
  }
  return pieces.join('').replaceAll(ENTITY, decodeEntity).slice(0, limit)
}

function decodeEntity(entity: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : entity
}
