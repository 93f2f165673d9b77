/** Syntax errors of SPF records, with their positions and texts. */

/** `term` and `part`: the term and its wrong part, quoted. `place`: where that part is. */
type Describe = (term: string, part: string, place: string) => string

/** The part, if something is missing there. */
const NOTHING = '""'

/** One sentence each: what is wrong, where, and what is allowed. */
export const SYNTAX_TEXTS = {
  bad_character: (term, part, place) =>
    `${term} contains ${part} ${place}: a record must be plain ASCII, and only spaces may separate its terms.`,
  unknown_mechanism: (term, _part, place) => `${term} ${place} is not an SPF mechanism.`,
  /** `all:x`, `all/8`, `ptr/24`. */
  unexpected_argument: (term, part, place) => `${term} cannot have ${part} ${place}.`,
  /** `include`, `include:`, `a:`, `redirect=`. */
  missing_domain: (term, _part, place) => `${term} is missing a domain name ${place}.`,
  bad_domain: (term, part, place) =>
    `${term} has ${part} ${place}, which is not a domain name: it must end in a dot and a top-level domain, or in a macro.`,
  /** `a:192.0.2.1`, `include:192.0.2.1`. */
  address_as_domain: (term, part, place) =>
    `${term} has the address ${part} ${place} where a domain name is expected; write addresses with ip4: or ip6:.`,
  bad_macro: (term, part, place) => `${term} has ${part} ${place}, which is not a macro; write a percent sign as %%.`,
  /** `%{c}`, `%{r}` or `%{t}` outside of an explanation (RFC 7208 7.2). */
  explanation_macro: (term, part, place) =>
    `${term} has the macro ${part} ${place}, which is allowed only in explanations.`,
  bad_ip4: (term, part, place) =>
    `${term} ${part === NOTHING ? `lacks an address ${place}` : `has ${part} ${place}, which is not an IPv4 address or network`}: four numbers from 0 to 255 without leading zeros, optionally followed by "/" and a prefix length.`,
  bad_ip6: (term, part, place) =>
    `${term} ${part === NOTHING ? `lacks an address ${place}` : `has ${part} ${place}, which is not an IPv6 address or network`}.`,
  bad_prefix_length: (term, part, place) =>
    `${term} ${part === NOTHING ? `lacks the prefix length ${place}` : `has the prefix length ${part} ${place}`}: it must be 0 to 32 for IPv4 or 0 to 128 for IPv6, without leading zeros.`,
  bad_modifier_name: (term, _part, place) => `${term} ${place} is not a modifier: its name must begin with a letter.`,
  /** RFC 7208 6. */
  repeated_modifier: (term, _part, place) =>
    `${term} ${place} appears for the second time: a record may have only one redirect= and one exp=.`,
} as const satisfies Record<string, Describe>

export type SpfSyntaxCode = keyof typeof SYNTAX_TEXTS

export interface SpfSyntaxProblem {
  readonly code: SpfSyntaxCode
  /** Offset in characters from the beginning of the record. */
  readonly at: number
  /** The part of the record that is wrong; empty if something is missing there. */
  readonly text: string
  /** The whole term. */
  readonly term: string
}

/** Thrown by the parsers of the parts of a record; `readSpfRecord` turns it into a problem. */
export class SpfSyntaxError extends Error {
  override readonly name = 'SpfSyntaxError'
  readonly code: SpfSyntaxCode
  /** Offset from the beginning of the parsed text. */
  readonly at: number
  readonly text: string

  constructor(code: SpfSyntaxCode, at: number, text: string) {
    super(`${code} at ${at}`)
    this.code = code
    this.at = at
    this.text = text
  }
}
