/** Parses macro strings, the names in SPF records that can depend on the message (RFC 7208 7.1). */
import { SpfSyntaxError } from './spf-syntax-error.ts'

export type MacroLetter = 's' | 'l' | 'o' | 'd' | 'i' | 'p' | 'h' | 'c' | 'r' | 't' | 'v'

export interface Macro {
  readonly kind: 'macro'
  readonly letter: MacroLetter
  /** Written in upper case: the value is URL escaped. */
  readonly isEscaped: boolean
  /** Number of parts to keep, counted from the right; all by default. */
  readonly keep: number
  readonly isReversed: boolean
  /** The characters that separate parts. */
  readonly delimiters: string
}

export type MacroPart =
  | Macro
  | { readonly kind: 'literal'; readonly text: string }
  /** `%%`, `%_` and `%-`, replaced by their meaning. */
  | { readonly kind: 'escape'; readonly text: string }

export type MacroString = readonly MacroPart[]

export type MacroContext = 'name' | 'unknown_modifier'

const MACRO = /%(?:\{(?<letter>[slodiphcrtv])(?<keep>\d*)(?<reverse>r?)(?<delimiters>[.\-+,/_=]*)\}|(?<sign>[%_-]))/iy
const LITERAL = /[\x21-\x24\x26-\x7e]+/y
const ESCAPES: Readonly<Record<string, string>> = { '%': '%', _: ' ', '-': '%20' }
/** RFC 7208 7.1: has a letter, or a hyphen that is neither first nor last; so it is not a number or an address. */
const TOP_LABEL = /^(?:[a-z0-9]*[a-z][a-z0-9]*|[a-z0-9]+-[a-z0-9-]*[a-z0-9])$/i

/** Throws SpfSyntaxError. */
export function parseMacroString(text: string, context: MacroContext): MacroString {
  const parts: MacroPart[] = []
  let at = 0
  while (at < text.length) {
    const macro = matchAt(MACRO, text, at)
    const found = macro ?? matchAt(LITERAL, text, at)
    if (found === null) throw unreadable(text, at)
    const part: MacroPart = macro === null ? { kind: 'literal', text: found[0] } : readMacro(macro, at, context)
    parts.push(part)
    at += found[0].length
  }
  return parts
}

/** Throws SpfSyntaxError. RFC 7208 7.1: a domain-spec ends in a dot and a top-level label, or in a macro. */
export function parseDomainSpec(text: string): MacroString {
  if (text === '') throw new SpfSyntaxError('missing_domain', 0, '')
  const parts = parseMacroString(text, 'name')
  const last = parts.at(-1)
  if (last?.kind !== 'literal') return parts
  const [topLabel = '', ...before] = last.text.replace(/\.$/, '').split('.').reverse()
  if (before.length > 0 && isTopLabel(topLabel)) return parts
  const isAddress = /^[0-9]+(?:\.[0-9]+){3}(?:\/[0-9]*)?$|^[0-9a-f]*:[0-9a-f:.]*(?:\/[0-9]*)?$/i.test(text)
  throw new SpfSyntaxError(isAddress ? 'address_as_domain' : 'bad_domain', 0, text)
}

export function isTopLabel(label: string): boolean {
  return TOP_LABEL.test(label)
}

function readMacro({ 0: text, groups = {} }: RegExpExecArray, at: number, context: MacroContext): MacroPart {
  const { letter = '', keep = '', reverse = '', delimiters = '', sign } = groups
  if (sign !== undefined) return { kind: 'escape', text: ESCAPES[sign] ?? '' }
  // RFC 7208 7.3: "If a DIGIT is specified, the value MUST be nonzero."
  if (/^0+$/.test(keep)) throw new SpfSyntaxError('bad_macro', at, text)
  // The grammar allows these letters everywhere, RFC 7208 7.2 only in explanations. Unknown modifiers are never expanded.
  if (context === 'name' && /[crt]/i.test(letter)) throw new SpfSyntaxError('explanation_macro', at, text)
  return {
    kind: 'macro',
    letter: letter.toLowerCase() as MacroLetter,
    isEscaped: letter !== letter.toLowerCase(),
    keep: keep === '' ? Number.POSITIVE_INFINITY : Number(keep),
    isReversed: reverse !== '',
    delimiters: delimiters === '' ? '.' : delimiters,
  }
}

function unreadable(text: string, at: number): SpfSyntaxError {
  if (text[at] !== '%') return new SpfSyntaxError('bad_character', at, String.fromCodePoint(text.codePointAt(at) ?? 0))
  const [shown = '%'] = /^%(?:\{[^}]*\}?|.?)/s.exec(text.slice(at)) ?? []
  return new SpfSyntaxError('bad_macro', at, shown)
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
