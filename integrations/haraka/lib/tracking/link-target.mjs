/** The web address that the value of an href attribute stands for, if there is no doubt about it. */
import { isTarget } from './token.mjs'

/** @type {Readonly<Record<string, string>>} */
const DECODED = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Character references that HTML also recognizes without their semicolon (HTML standard, section 13.5). */
const WITHOUT_SEMICOLON = new Set(
  (
    'AElig AMP Aacute Acirc Agrave Aring Atilde Auml COPY Ccedil ETH Eacute Ecirc Egrave Euml GT Iacute Icirc Igrave Iuml LT ' +
    'Ntilde Oacute Ocirc Ograve Oslash Otilde Ouml QUOT REG THORN Uacute Ucirc Ugrave Uuml Yacute aacute acirc acute aelig ' +
    'agrave amp aring atilde auml brvbar ccedil cedil cent copy curren deg divide eacute ecirc egrave eth euml frac12 frac14 ' +
    'frac34 gt iacute icirc iexcl igrave iquest iuml laquo lt macr micro middot nbsp not ntilde oacute ocirc ograve ordf ordm ' +
    'oslash otilde ouml para plusmn pound quot raquo reg sect shy sup1 sup2 sup3 szlig thorn times uacute ucirc ugrave uml ' +
    'uuml yacute yen yuml'
  ).split(' '),
)

/**
 * Undefined if the link is to be left unchanged. `value` has one character per byte of a text in `charset`.
 *
 * @type {(value: string, charset: string) => string | undefined}
 */
export function findTarget(value, charset) {
  const decoded = decodeReferences(value)
  if (decoded === undefined) return undefined
  // As browsers do with every address (URL standard, section 4.4).
  const bytes = trimControls(decoded.replaceAll(/[\t\n\r]/g, ''))
  if (isTarget(bytes)) return bytes
  if (!/^https?:\/\//i.test(bytes)) return undefined
  try {
    const { href } = new URL(new TextDecoder(charset, { fatal: true }).decode(Buffer.from(bytes, 'latin1')))
    return isTarget(href) ? href : undefined
  } catch {
    return undefined
  }
}

/** @type {(text: string) => string} */
function trimControls(text) {
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return text.slice(start, end)
}

/**
 * Undefined if a character reference needs the full table of the HTML standard.
 *
 * @type {(value: string) => string | undefined}
 */
function decodeReferences(value) {
  let isCertain = true
  const decoded = value.replaceAll(
    /&(?:#(\d{1,7});|#x([0-9a-f]{1,6});|([a-z][a-z0-9]*)(;?)(=?)|#)/gi,
    (reference, decimal, hex, name, semicolon, equals) => {
      if (decimal !== undefined || hex !== undefined) {
        const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
        // Other numbers stand for several bytes or, by the standard's table, for another character.
        if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code)
      } else if (name !== undefined) {
        const character = Object.hasOwn(DECODED, name) ? DECODED[name] : undefined
        if (semicolon === ';' && character !== undefined) return `${character}${equals}`
        // A query parameter: within an attribute, `&copy=1` is not a reference.
        if (semicolon === '' && (equals === '=' || !WITHOUT_SEMICOLON.has(name))) return reference
      }
      isCertain = false
      return reference
    },
  )
  return isCertain ? decoded : undefined
}
