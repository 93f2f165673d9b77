/** The fields of a header, looked up by name. Values are trimmed only when they are read. */

interface HeaderField {
  /** As written. */
  readonly name: string
  value: string
}

export class HeaderFields {
  readonly #fields: HeaderField[] = []

  add(name: string, value: string): void {
    this.#fields.push({ name, value })
  }

  /** RFC 5322 section 2.2.3: a folded line continues the last field, if there is one. */
  continueLast(more: string): void {
    const last = this.#fields.at(-1)
    if (last) last.value += more
  }

  /** The first field of this name (in lower case), so that every reader of a message sees the same value. */
  get(name: string): string | undefined {
    for (const field of this.#fields) if (isNamed(field, name)) return field.value.trim()
    return undefined
  }

  /** All values of this name, in order. */
  list(name: string): readonly string[] {
    return this.#fields.filter((field) => isNamed(field, name)).map(({ value }) => value.trim())
  }
}

/** Most names already differ in length, which is cheaper to compare. */
function isNamed({ name: written }: HeaderField, name: string): boolean {
  return written.length === name.length && written.toLowerCase() === name
}
