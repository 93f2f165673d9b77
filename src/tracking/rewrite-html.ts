/** Puts a pixel and signed links into HTML. What it changes are the values of href attributes; what it adds is one image. */
import { type Tag, tokenizeHtml } from './html-tokens.ts'
import { findTarget } from './link-target.ts'
import type { TokenFields, Tokens } from './token.ts'

/** Replaces the characters from start to end. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Tracking {
  readonly tokens: Tokens
  /** Where recipients reach the tracking endpoints, such as https://links.example.com; without a final slash. */
  readonly baseUrl: string
  readonly domain: string
  readonly messageId: string
  readonly recipient: string
  /** Unix seconds. */
  readonly time: number
  /** Addresses that stay as they are. */
  readonly untouched?: ReadonlySet<string>
  /** Both unless told. */
  readonly opens?: boolean
  readonly clicks?: boolean
}

/** A link with this attribute stays as it is. */
const IGNORE = 'data-envelog-ignore'

export interface HtmlOptions {
  readonly charset: string
  /** What is put before an attribute with a link in texts whose lines must stay short; there it means nothing. */
  readonly lineBreak?: string
}

/** In the order of the text. `html` has one character for each byte. */
export function rewriteHtml(
  html: string,
  tracking: Tracking,
  { charset, lineBreak = '' }: HtmlOptions,
): readonly Edit[] {
  const { tags, isCutOff } = tokenizeHtml(html)
  const edits =
    tracking.clicks === false ? [] : tags.flatMap((tag) => linkEdits(html, tag, tracking, charset, lineBreak))
  if (tracking.opens === false || isCutOff || tags.some((tag) => isOwnPixel(html, tag, tracking))) return edits
  const place = tags.findLast(({ name, isEnd }) => isEnd && name === 'body')?.start ?? endOfContent(html)
  const before = edits.filter(({ start }) => start < place)
  return [
    ...before,
    { start: place, end: place, text: pixel(tracking, lineBreak || ' ') },
    ...edits.slice(before.length),
  ]
}

/** Before the line ends that end it: a message ends with one. */
function endOfContent(html: string): number {
  let end = html.length
  while (end > 0 && /[\t\n\r ]/.test(html.charAt(end - 1))) end--
  return end
}

function linkEdits(
  html: string,
  { name, isEnd, attributes }: Tag,
  tracking: Tracking,
  charset: string,
  lineBreak: string,
): readonly Edit[] {
  if (isEnd || (name !== 'a' && name !== 'area')) return []
  const href = attributes.find((attribute) => attribute.name === 'href')
  if (!href || attributes.some((attribute) => attribute.name === IGNORE)) return []
  const target = findTarget(html.slice(href.valueStart, href.valueEnd), charset)
  if (target === undefined || tracking.untouched?.has(target) || isOwnLink(target, tracking)) return []
  const url = `${tracking.baseUrl}/t/c/${tracking.tokens.sign(fieldsOf(tracking, 'click', target))}`
  const edit = { start: href.valueStart, end: href.valueEnd, text: url }
  return lineBreak === '' ? [edit] : [{ start: href.start, end: href.start, text: lineBreak }, edit]
}

/** One that was put here before, in this message or in one that this one quotes. */
function isOwnLink(target: string, { baseUrl, tokens }: Tracking): boolean {
  const prefix = `${baseUrl}/t/c/`
  return target.startsWith(prefix) && tokens.open('click', target.slice(prefix.length)) !== undefined
}

function isOwnPixel(
  html: string,
  { name, attributes }: Tag,
  { baseUrl, tokens, messageId, recipient }: Tracking,
): boolean {
  const src = name === 'img' ? attributes.find((attribute) => attribute.name === 'src') : undefined
  if (!src) return false
  const prefix = `${baseUrl}/t/o/`
  const value = html.slice(src.valueStart, src.valueEnd)
  const token = value.startsWith(prefix) ? tokens.open('open', value.slice(prefix.length)) : undefined
  return token?.messageId === messageId && token.recipient === recipient
}

function pixel(tracking: Tracking, space: string): string {
  const url = `${tracking.baseUrl}/t/o/${tracking.tokens.sign(fieldsOf(tracking, 'open'))}`
  return `<img${space}src="${url}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
}

function fieldsOf(tracking: Tracking, kind: 'open' | 'click', target?: string): TokenFields {
  const { time, domain, messageId, recipient } = tracking
  return { kind, time, domain, messageId, recipient, ...(target !== undefined && { target }) }
}
