/** The address behind the value of an href attribute, where it is one of the web and there is no doubt about it. */
import { isTarget } from './token.ts'

const CERTAIN: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Names that HTML understands without their semicolon too (section 13.5 of the standard). */
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

/** `value` has one character for each byte of a text in `charset`. Undefined for what is to be left as it is. */
export function findTarget(value: string, charset: string): string | undefined {
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

function trimControls(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  return text.slice(start, end)
}

/** Undefined where there is a character reference that only the whole table of HTML could tell. */
function decodeReferences(value: string): string | undefined {
  let isCertain = true
  const decoded = value.replaceAll(
    /&(?:#(\d{1,7});|#x([0-9a-f]{1,6});|([a-z][a-z0-9]*)(;?)(=?)|#)/gi,
    (reference, decimal?: string, hex?: string, name?: string, semicolon?: string, equals?: string) => {
      if (decimal !== undefined || hex !== undefined) {
        const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
        // Others stand for more than one byte, or for another character than their number says.
        if (code >= 0x20 && code < 0x7f) return String.fromCharCode(code)
      } else if (name !== undefined) {
        const character = Object.hasOwn(CERTAIN, name) ? CERTAIN[name] : undefined
        if (semicolon === ';' && character !== undefined) return `${character}${equals}`
        // Of a parameter: `&copy=1` is no reference within an attribute.
        if (semicolon === '' && (equals === '=' || !WITHOUT_SEMICOLON.has(name))) return reference
      }
      isCertain = false
      return reference
    },
  )
  return isCertain ? decoded : undefined
}
