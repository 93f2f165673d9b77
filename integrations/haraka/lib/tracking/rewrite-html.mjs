/**
 * Adds a tracking pixel to HTML and replaces the values of href attributes by signed links. Nothing else changes.
 *
 * @import { Tag } from './html-tokens.mjs'
 * @import { Tokens } from './token.mjs'
 * @import { Edit } from './transfer-encoding.mjs'
 *
 * @typedef {object} Tracking
 * @property {Tokens} tokens
 * @property {string} baseUrl Where recipients reach the tracking endpoints, such as https://links.example.com; no final slash.
 * @property {string} domain
 * @property {string} messageId
 * @property {string} recipient
 * @property {number} time Unix seconds.
 * @property {ReadonlySet<string>} [untouched] Targets whose links stay as they are.
 * @property {boolean} [opens] Default: true.
 * @property {boolean} [clicks] Default: true.
 *
 * @typedef {object} HtmlOptions
 * @property {string} charset
 * @property {string} [lineBreak] Inserted before each changed attribute, where it is only white space, to keep lines short.
 */
import { tokenizeHtml } from './html-tokens.mjs'
import { findTarget } from './link-target.mjs'

/** A link with this attribute stays as it is. */
const IGNORE = 'data-envelog-ignore'

/**
 * In the order of the text. `html` has one character per byte.
 *
 * @type {(html: string, tracking: Readonly<Tracking>, options: HtmlOptions) => readonly Edit[]}
 */
export function rewriteHtml(html, tracking, { charset, lineBreak = '' }) {
  const { tags, isCutOff } = tokenizeHtml(html)
  const edits =
    tracking.clicks === false ? [] : tags.flatMap((tag) => linkEdits(html, tag, tracking, charset, lineBreak))
  if (tracking.opens === false || isCutOff || tags.some((tag) => isOwnPixel(html, tag, tracking))) return edits
  const at = tags.findLast(({ name, isEnd }) => isEnd && name === 'body')?.start ?? endOfContent(html)
  const before = edits.filter(({ start }) => start < at)
  return [...before, { start: at, end: at, text: pixel(tracking, lineBreak || ' ') }, ...edits.slice(before.length)]
}

/**
 * Before the trailing line ends.
 *
 * @type {(html: string) => number}
 */
function endOfContent(html) {
  let end = html.length
  while (end > 0 && /[\t\n\r ]/.test(html.charAt(end - 1))) end--
  return end
}

/** @type {(html: string, tag: Tag, tracking: Readonly<Tracking>, charset: string, lineBreak: string) => readonly Edit[]} */
function linkEdits(html, { name, isEnd, attributes }, tracking, charset, lineBreak) {
  if (isEnd || (name !== 'a' && name !== 'area')) return []
  const href = attributes.find((attribute) => attribute.name === 'href')
  if (!href || attributes.some((attribute) => attribute.name === IGNORE)) return []
  const target = findTarget(html.slice(href.valueStart, href.valueEnd), charset)
  if (target === undefined || tracking.untouched?.has(target) || isOwnLink(target, tracking)) return []
  const url = `${tracking.baseUrl}/t/c/${tracking.tokens.sign({ ...tracking, kind: 'click', target })}`
  const edit = { start: href.valueStart, end: href.valueEnd, text: url }
  return lineBreak === '' ? [edit] : [{ start: href.start, end: href.start, text: lineBreak }, edit]
}

/**
 * Rewritten before: in this message, or in one that it quotes.
 *
 * @type {(target: string, tracking: Readonly<Tracking>) => boolean}
 */
function isOwnLink(target, { baseUrl, tokens }) {
  const prefix = `${baseUrl}/t/c/`
  return target.startsWith(prefix) && tokens.open('click', target.slice(prefix.length)) !== undefined
}

/** @type {(html: string, tag: Tag, tracking: Readonly<Tracking>) => boolean} */
function isOwnPixel(html, { name, attributes }, { baseUrl, tokens, messageId, recipient }) {
  const src = name === 'img' ? attributes.find((attribute) => attribute.name === 'src') : undefined
  if (!src) return false
  const prefix = `${baseUrl}/t/o/`
  const value = html.slice(src.valueStart, src.valueEnd)
  const token = value.startsWith(prefix) ? tokens.open('open', value.slice(prefix.length)) : undefined
  return token?.messageId === messageId && token.recipient === recipient
}

/** @type {(tracking: Readonly<Tracking>, space: string) => string} */
function pixel(tracking, space) {
  const url = `${tracking.baseUrl}/t/o/${tracking.tokens.sign({ ...tracking, kind: 'open' })}`
  return `<img${space}src="${url}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
}
