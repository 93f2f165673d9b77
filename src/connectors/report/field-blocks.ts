/** Fields of reports: `Name: value` lines in blocks (RFC 3464 section 2.1.1), read leniently. */

/** All values of each field, by its name in lower case. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** What a block about one recipient has once; a second one begins the next recipient. */
const ONCE_A_RECIPIENT = new Set(['final-recipient', 'original-recipient', 'action'])
const FIELDS_MAX = 10_000

/** Blocks end with an empty line, or where a field comes again that a block has once. Lines that are no fields are skipped. */
export function readFieldBlocks(text: string): readonly Fields[] {
  const blocks: Map<string, string[]>[] = []
  let block: Map<string, string[]> | undefined
  // RFC 5322 section 2.2.3: a line that begins with white space continues the one before.
  const lines = text.replaceAll(/\r?\n(?=[ \t]+\S)/g, '').split(/\r?\n/)
  let count = 0
  for (const line of lines) {
    if (line.trim() === '') {
      block = undefined
      continue
    }
    const [, name, value] = /^([!-9;-~]+)[ \t]*:[ \t]*(.*)$/.exec(line) ?? []
    if (name === undefined || value === undefined) continue
    count += 1
    if (count > FIELDS_MAX) break
    const key = name.toLowerCase()
    if (!block || (ONCE_A_RECIPIENT.has(key) && block.has(key))) {
      block = new Map()
      blocks.push(block)
    }
    const values = block.get(key)
    if (values) values.push(value.trim())
    else block.set(key, [value.trim()])
  }
  return blocks
}

export function firstOf(fields: Fields, name: string): string | undefined {
  return fields.get(name)?.find((value) => value !== '')
}

/** RFC 822 section 3.4.3: what stands in parentheses is for people. */
export function withoutComments(text: string): string {
  return text.replaceAll(/\([^()]*\)/g, ' ').trim()
}

/** `dns; mx.example.com`: a type, and a value of that type. The type may be missing. */
export function typedValue(text: string): { readonly type: string | undefined; readonly value: string } {
  const [, type, value] = /^\s*([\w-]+)\s*;\s*(.*)$/s.exec(text) ?? []
  return { type: type?.toLowerCase(), value: (value ?? text).trim() }
}

/** Of a Reporting-MTA or Remote-MTA; undefined where it names none. */
export function findHost(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const name = withoutComments(typedValue(text).value).replace(/\.$/, '')
  return /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9])?|\[[0-9a-f.:]{2,45}\])$/i.test(name) ? name : undefined
}
