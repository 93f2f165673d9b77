/** What is wrong with the text of an SPF record, and where. */

export type SpfSyntaxCode =
  /** Anything but visible ASCII; only the space separates terms. */
  | 'bad_character'
  | 'unknown_mechanism'
  /** `all:x`, `all/8`, `ptr/24`. */
  | 'unexpected_argument'
  /** `include`, `include:`, `a:`, `redirect=`. */
  | 'missing_domain'
  /** Ends neither in a dot and a top-level label nor in a macro. */
  | 'bad_domain'
  /** `a:192.0.2.1`, `include:192.0.2.1`. */
  | 'address_as_domain'
  | 'bad_macro'
  /** `%{c}`, `%{r}`, `%{t}` where no explanation is written (section 7.2). */
  | 'explanation_macro'
  | 'bad_ip4'
  | 'bad_ip6'
  | 'bad_prefix_length'
  | 'bad_modifier_name'
  /** A second `redirect=` or `exp=` (section 6). */
  | 'repeated_modifier'

export interface SpfSyntaxProblem {
  readonly code: SpfSyntaxCode
  /** Where it begins, in characters from the beginning of the record. */
  readonly at: number
  /** The part of the record that is wrong. May be empty: something is missing there. */
  readonly text: string
  /** The whole term around it. */
  readonly term: string
}

/** Thrown by the parsers of the parts of a record; `readSpfRecord` turns it into a problem. */
export class SpfSyntaxError extends Error {
  override readonly name = 'SpfSyntaxError'
  readonly code: SpfSyntaxCode
  /** From the beginning of the text that was parsed. */
  readonly at: number
  readonly text: string

  constructor(code: SpfSyntaxCode, at: number, text: string) {
    super(`${code} at ${at}`)
    this.code = code
    this.at = at
    this.text = text
  }
}
