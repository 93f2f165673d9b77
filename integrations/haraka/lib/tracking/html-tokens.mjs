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
const SPACE = /[\t\n\f\r ]/

/**
 * @param {string} html
 * @returns {TokenizedHtml}
 */
export function tokenizeHtml(html) {
  /** @type {Tag[]} */
  const tags = []
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

/**
 * @param {string} html
 * @param {number} at
 */
function isTagStart(html, at) {
  return /[a-z]/i.test(html.charAt(html.charAt(at + 1) === '/' ? at + 2 : at + 1))
}

/**
 * The end of a comment, a declaration, or anything that browsers treat as a comment; a `<` that starts none of these is text.
 *
 * @param {string} html
 * @param {number} at
 * @param {readonly Tag[]} tags
 */
function skipMarkup(html, at, tags) {
  if (html.startsWith('<!--', at)) return endOfComment(html, at + 4)
  // Only inside svg and math are CDATA sections text (section 13.2.5.42).
  if (html.startsWith('<![CDATA[', at) && tags.some(({ name }) => name === 'svg' || name === 'math')) {
    const close = html.indexOf(']]>', at)
    return close === -1 ? undefined : close + 3
  }
  if (!/[!?/]/.test(html.charAt(at + 1))) return at + 1
  const close = html.indexOf('>', at + 2)
  return close === -1 ? undefined : close + 1
}

/**
 * @param {string} html
 * @param {number} start
 */
function endOfComment(html, start) {
  // `<!-->` and `<!--->` are complete comments.
  const [early] = /^-?>/.exec(html.slice(start, start + 2)) ?? []
  if (early !== undefined) return start + early.length
  const end = /--!?>/g
  end.lastIndex = start
  const found = end.exec(html)
  return found ? found.index + found[0].length : undefined
}

/**
 * @param {string} html
 * @param {number} start
 * @param {string} name
 */
function findEndTag(html, start, name) {
  const pattern = new RegExp(`</${name}(?=[\\t\\n\\f\\r />])`, 'gi')
  pattern.lastIndex = start
  return pattern.exec(html)?.index
}

/**
 * Adds the tag and returns where it ends; undefined if it does not.
 *
 * @param {string} html
 * @param {number} start
 * @param {Tag[]} tags
 */
function readTag(html, start, tags) {
  const isEnd = html.charAt(start + 1) === '/'
  const nameStart = start + (isEnd ? 2 : 1)
  let at = nameStart
  while (at < html.length && !/[\t\n\f\r />]/.test(html.charAt(at))) at++
  const name = html.slice(nameStart, at).toLowerCase()
  /** @type {Attribute[]} */
  const attributes = []
  for (;;) {
    while (at < html.length && (SPACE.test(html.charAt(at)) || html.charAt(at) === '/')) at++
    if (at >= html.length) return undefined
    if (html.charAt(at) === '>') {
      tags.push({ name, isEnd, start, end: at + 1, attributes })
      return at + 1
    }
    const attribute = readAttribute(html, at)
    if (!attribute) return undefined
    // If a name is repeated, the first one counts.
    if (!attributes.some((other) => other.name === attribute.found.name)) attributes.push(attribute.found)
    at = attribute.end
  }
}

/**
 * @param {string} html
 * @param {number} start
 * @returns {{ found: Attribute, end: number } | undefined}
 */
function readAttribute(html, start) {
  // A leading `=` is part of the name.
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
