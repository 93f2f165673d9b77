/** The `tag=value; tag=value` syntax of DKIM records (RFC 6376 section 3.2). */

const TAG_NAME = /^[A-Za-z][A-Za-z0-9_]*$/
/** Folding white space; a DNS value has no line ends to fold, but copies from mail headers do. */
const OUTER_SPACE = /^[ \t\r\n]+|[ \t\r\n]+$/g

/** In the order they were written. Undefined when the text is no tag list, a tag given twice included. Never throws. */
export function parseTagList(text: string): ReadonlyMap<string, string> | undefined {
  const specs = text.split(';')
  // One semicolon at the very end is allowed.
  if (specs.length > 1 && trimSpace(specs.at(-1) ?? '') === '') specs.pop()
  const tags = new Map<string, string>()
  for (const spec of specs) {
    const equals = spec.indexOf('=')
    if (equals < 0) return undefined
    const name = trimSpace(spec.slice(0, equals))
    if (!TAG_NAME.test(name) || tags.has(name)) return undefined
    tags.set(name, trimSpace(spec.slice(equals + 1)))
  }
  return tags
}

function trimSpace(text: string): string {
  return text.replace(OUTER_SPACE, '')
}
