/** The fields of a header, found by their names. Nothing is made of those that nobody asks for. */

interface HeaderField {
  /** As it is written. */
  readonly name: string
  value: string
}

const NONE: readonly string[] = []

export class HeaderFields {
  readonly #fields: HeaderField[] = []

  add(name: string, value: string): void {
    this.#fields.push({ name, value })
  }

  /** RFC 5322 section 2.2.3: more of the last one's value. There may be none. */
  continueLast(more: string): void {
    const last = this.#fields.at(-1)
    if (last) last.value += more
  }

  /** The first of a name counts, so that all who look at the message see the same. The name in lower case. */
  get(name: string): string | undefined {
    for (const field of this.#fields) if (isNamed(field, name)) return field.value.trim()
    return undefined
  }

  /** All of a name, in their order. */
  list(name: string): readonly string[] {
    let values: string[] | undefined
    for (const field of this.#fields) {
      if (!isNamed(field, name)) continue
      values ??= []
      values.push(field.value.trim())
    }
    return values ?? NONE
  }
}

/** Nearly all others differ in length or in the first letter, and need not be put into lower case. */
function isNamed({ name: written }: HeaderField, name: string): boolean {
  return (
    written.length === name.length &&
    (written.charCodeAt(0) | LOWER_CASE) === (name.charCodeAt(0) | LOWER_CASE) &&
    written.toLowerCase() === name
  )
}

/** What makes a letter of ASCII a small one. */
const LOWER_CASE = 0x20
