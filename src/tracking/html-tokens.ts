/**
 * Finds the tags of an HTML text and where their attributes stand, after the tokenizer of the HTML standard (section 13.2.5):
 * comments, quotes, and elements whose content is text are passed over as browsers do.
 *
 * The text holds one character for each byte. Everything that matters here is ASCII, in every charset that is let in.
 */

export interface Attribute {
  /** In lower case. */
  readonly name: string
  /** Of the whole attribute, its name first. */
  readonly start: number
  /** Of the value, without quotes; the same where there is none. */
  readonly valueStart: number
  readonly valueEnd: number
}

export interface Tag {
  /** In lower case. */
  readonly name: string
  readonly isEnd: boolean
  readonly start: number
  readonly end: number
  readonly attributes: readonly Attribute[]
}

export interface TokenizedHtml {
  readonly tags: readonly Tag[]
  /** The text stops within a tag, a comment or an element of text: what is put after it would not be seen as HTML. */
  readonly isCutOff: boolean
}

/** Their content is text up to their end tag. Mail programs run no scripts, so that noscript is an element like others. */
const TEXT_ELEMENTS = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']
const SPACE = /[\t\n\f\r ]/

export function tokenizeHtml(html: string): TokenizedHtml {
  const tags: Tag[] = []
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const end = isTagStart(html, at) ? readTag(html, at, tags) : skipMarkup(html, at, tags)
    if (end === undefined) return { tags, isCutOff: true }
    const tag = tags.at(-1)
    at = end
    if (!tag || tag.end !== end || tag.isEnd) continue
    if (tag.name === 'plaintext') return { tags, isCutOff: true }
    if (!TEXT_ELEMENTS.includes(tag.name)) continue
    const close = findEndTag(html, end, tag.name)
    if (close === undefined) return { tags, isCutOff: true }
    at = close
  }
  return { tags, isCutOff: false }
}

function isTagStart(html: string, at: number): boolean {
  return /[a-z]/i.test(html.charAt(html.charAt(at + 1) === '/' ? at + 2 : at + 1))
}

/** Comments, declarations, and what browsers take for comments; a `<` that begins nothing is text. */
function skipMarkup(html: string, at: number, tags: readonly Tag[]): number | undefined {
  if (html.startsWith('<!--', at)) return endOfComment(html, at + 4)
  if (html.startsWith('<![CDATA[', at) && hasForeign(tags)) {
    const close = html.indexOf(']]>', at)
    return close === -1 ? undefined : close + 3
  }
  if (!/[!?/]/.test(html.charAt(at + 1))) return at + 1
  // Not even a bogus comment: `</>` is nothing at all.
  const close = html.indexOf('>', at + 2)
  return close === -1 ? undefined : close + 1
}

/** Within drawings and formulas, and only there, CDATA sections are text (section 13.2.5.42). */
function hasForeign(tags: readonly Tag[]): boolean {
  return tags.some(({ name }) => name === 'svg' || name === 'math')
}

function endOfComment(html: string, start: number): number | undefined {
  // `<!-->` and `<!--->` are over at once.
  const [early] = /^-?>/.exec(html.slice(start, start + 2)) ?? []
  if (early !== undefined) return start + early.length
  const end = /--!?>/g
  end.lastIndex = start
  const found = end.exec(html)
  return found ? found.index + found[0].length : undefined
}

function findEndTag(html: string, start: number, name: string): number | undefined {
  const pattern = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi')
  pattern.lastIndex = start
  return pattern.exec(html)?.index
}

/** Adds the tag; where it ends, or undefined where it does not. */
function readTag(html: string, start: number, tags: Tag[]): number | undefined {
  const isEnd = html.charAt(start + 1) === '/'
  const nameStart = start + (isEnd ? 2 : 1)
  let at = nameStart
  while (at < html.length && !/[\t\n\f\r />]/.test(html.charAt(at))) at++
  const name = html.slice(nameStart, at).toLowerCase()
  const attributes: Attribute[] = []
  for (;;) {
    while (at < html.length && (SPACE.test(html.charAt(at)) || html.charAt(at) === '/')) at++
    if (at >= html.length) return undefined
    if (html.charAt(at) === '>') {
      tags.push({ name, isEnd, start, end: at + 1, attributes })
      return at + 1
    }
    const attribute = readAttribute(html, at)
    if (!attribute) return undefined
    // Of several with one name the first counts.
    if (!attributes.some((other) => other.name === attribute.found.name)) attributes.push(attribute.found)
    at = attribute.end
  }
}

function readAttribute(html: string, start: number): { found: Attribute; end: number } | undefined {
  // A `=` in the first place is part of the name.
  let at = start + 1
  while (at < html.length && !/[\t\n\f\r />=]/.test(html.charAt(at))) at++
  const name = html.slice(start, at).toLowerCase()
  let next = at
  while (next < html.length && SPACE.test(html.charAt(next))) next++
  if (html.charAt(next) !== '=') return { found: { name, start, valueStart: at, valueEnd: at }, end: at }
  at = next + 1
  while (at < html.length && SPACE.test(html.charAt(at))) at++
  const quote = html.charAt(at)
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, at + 1)
    return close === -1 ? undefined : { found: { name, start, valueStart: at + 1, valueEnd: close }, end: close + 1 }
  }
  const valueStart = at
  while (at < html.length && !/[\t\n\f\r >]/.test(html.charAt(at))) at++
  return { found: { name, start, valueStart, valueEnd: at }, end: at }
}
