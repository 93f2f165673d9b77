/** Syntax errors of SPF records, with their positions. */

export type SpfSyntaxCode =
  /** A character other than visible ASCII; only spaces separate terms. */
  | 'bad_character'
  | 'unknown_mechanism'
  /** `all:x`, `all/8`, `ptr/24`. */
  | 'unexpected_argument'
  /** `include`, `include:`, `a:`, `redirect=`. */
  | 'missing_domain'
  /** Does not end in a dot and a top-level label, or in a macro. */
  | 'bad_domain'
  /** `a:192.0.2.1`, `include:192.0.2.1`. */
  | 'address_as_domain'
  | 'bad_macro'
  /** `%{c}`, `%{r}` or `%{t}` outside of an explanation (RFC 7208 7.2). */
  | 'explanation_macro'
  | 'bad_ip4'
  | 'bad_ip6'
  | 'bad_prefix_length'
  | 'bad_modifier_name'
  /** A second `redirect=` or `exp=` (RFC 7208 6). */
  | 'repeated_modifier'

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
