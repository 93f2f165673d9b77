/**
 * Finds the tags of an HTML text and the positions of their attributes, following the tokenizer of the HTML standard (section
 * 13.2.5): comments, quotes, and elements with text content are skipped as browsers skip them.
 *
 * The text holds one character per byte. All syntax is ASCII, in every charset that is accepted.
 *
 * @typedef {object} Attribute
 * @property {string} name In lower case.
 * @property {number} start Where the attribute's name starts.
 * @property {number} valueStart Of the value, without quotes; equals valueEnd if there is none.
 * @property {number} valueEnd
 *
 * @typedef {object} Tag
 * @property {string} name In lower case.
 * @property {boolean} isEnd
 * @property {number} start
 * @property {number} end
 * @property {readonly Attribute[]} attributes
 *
 * @typedef {object} TokenizedHtml
 * @property {readonly Tag[]} tags
 * @property {boolean} isCutOff The text ends within a tag, a comment or a text element: anything appended would not be HTML.
 */

/** Their content is text up to the end tag. Not noscript: mail clients run no scripts, so its content is markup. */
const TEXT_ELEMENTS = ['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']

const TAG_NAME = /[^\t\n\f\r />]*/y
const BEFORE_ATTRIBUTE = /[\t\n\f\r /]*/y
/** A leading `=` is part of the name. A quote that is not closed takes the rest of the text. */
const ATTRIBUTE =
  /([^\t\n\f\r />][^\t\n\f\r />=]*)(?:[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"?|'([^']*)'?|([^\t\n\f\r >]*)))?/y

/** @type {(html: string) => TokenizedHtml} */
export function tokenizeHtml(html) {
  /** @type {Tag[]} */
  const tags = []
  // Only inside svg and math are CDATA sections text (section 13.2.5.42).
  let mayHaveCdata = false
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    const end = isTagStart(html, at) ? readTag(html, at, tags) : skipMarkup(html, at, mayHaveCdata)
    if (end === undefined) return { tags, isCutOff: true }
    const tag = tags.at(-1)
    at = end
    if (!tag || tag.end !== end) continue
    mayHaveCdata ||= tag.name === 'svg' || tag.name === 'math'
    if (tag.isEnd) continue
    if (tag.name === 'plaintext') return { tags, isCutOff: true }
    if (!TEXT_ELEMENTS.includes(tag.name)) continue
    const close = execAt(new RegExp(`</${tag.name}(?=[\\t\\n\\f\\r />])`, 'gi'), html, end)
    if (!close) return { tags, isCutOff: true }
    at = close.index
  }
  return { tags, isCutOff: false }
}

/** @type {(html: string, at: number) => boolean} */
function isTagStart(html, at) {
  return /[a-z]/i.test(html.charAt(html.charAt(at + 1) === '/' ? at + 2 : at + 1))
}

/**
 * The end of a comment, a declaration, or anything that browsers treat as a comment; a `<` that starts none of these is text.
 *
 * @type {(html: string, at: number, mayHaveCdata: boolean) => number | undefined}
 */
function skipMarkup(html, at, mayHaveCdata) {
  // `<!-->` and `<!--->` are complete comments.
  if (html.startsWith('<!--', at)) return endOf(execAt(/(?<=<!--)-?>|--!?>/g, html, at + 4))
  if (mayHaveCdata && html.startsWith('<![CDATA[', at)) return endOf(execAt(/\]\]>/g, html, at))
  return /[!?/]/.test(html.charAt(at + 1)) ? endOf(execAt(/>/g, html, at + 2)) : at + 1
}

/**
 * Adds the tag and returns where it ends; undefined if it does not.
 *
 * @type {(html: string, start: number, tags: Tag[]) => number | undefined}
 */
function readTag(html, start, tags) {
  const isEnd = html.charAt(start + 1) === '/'
  const [name = ''] = execAt(TAG_NAME, html, start + (isEnd ? 2 : 1)) ?? []
  let at = TAG_NAME.lastIndex
  /** @type {Map<string, Attribute>} */
  const attributes = new Map()
  for (;;) {
    execAt(BEFORE_ATTRIBUTE, html, at)
    at = BEFORE_ATTRIBUTE.lastIndex
    if (html.charAt(at) === '>') {
      tags.push({ name: name.toLowerCase(), isEnd, start, end: at + 1, attributes: [...attributes.values()] })
      return at + 1
    }
    const attribute = readAttribute(html, at)
    if (!attribute) return undefined
    // If a name is repeated, the first one counts.
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute)
    at = ATTRIBUTE.lastIndex
  }
}

/** @type {(html: string, start: number) => Attribute | undefined} */
function readAttribute(html, start) {
  const [whole, name = '', double, single, bare = ''] = execAt(ATTRIBUTE, html, start) ?? []
  if (whole === undefined) return undefined
  const quoted = double ?? single
  const valueEnd = ATTRIBUTE.lastIndex - (quoted === undefined ? 0 : 1)
  return { name: name.toLowerCase(), start, valueStart: valueEnd - (quoted ?? bare).length, valueEnd }
}

/**
 * For a pattern that is global or sticky.
 *
 * @type {(pattern: RegExp, html: string, at: number) => RegExpExecArray | null}
 */
function execAt(pattern, html, at) {
  pattern.lastIndex = at
  return pattern.exec(html)
}

/** @type {(found: RegExpExecArray | null) => number | undefined} */
function endOf(found) {
  return found ? found.index + found[0].length : undefined
}
